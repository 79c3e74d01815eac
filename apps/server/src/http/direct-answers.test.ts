import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, describe, expect, test } from "vitest";
import { createRequestTimes } from "../request-times.ts";
import { answerDirectly, type DirectRoute } from "./direct-answers.ts";
import { requestRecorder } from "./observe-requests.ts";
import { readRawBodies } from "./raw-request.ts";

const BODY = "a body of some length";
const answer = (body: string) => ({ status: 200, headers: { "content-length": body.length }, body });
const echo: DirectRoute = { method: "POST", path: "/echo", answer: (_, body) => answer(`direct ${body}`) };
const read: DirectRoute = { method: "GET", path: "/read", answer: () => answer("direct") };

let app: FastifyInstance;
let registry: Registry;
let logged: string;
afterEach(() => app.close());

/** Listens with these routes, behind each of which the framework has its own; returns the port. */
async function serve(routes: readonly DirectRoute[], allowedHosts: readonly string[] | null = null) {
  app = Fastify();
  registry = new Registry();
  readRawBodies(app);
  app.post("/echo", (request) => `framework ${String(request.body)}`);
  app.get("/read", () => "framework");
  const metrics = { requestTimes: createRequestTimes(registry) };
  logged = "";
  const write = (line: string) => {
    logged += line;
  };
  const log = pino({}, { write });
  const recordRoute = requestRecorder({ metrics, log, clock: Date });
  answerDirectly(app, routes, { recordRoute, allowedHosts });
  await app.listen();
  return (app.server.address() as { port: number }).port;
}

/** Sends the parts one after the other on one connection and returns all that came back. */
function send(port: number, ...parts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setNoDelay();
    let all = "";
    socket
      .on("data", (chunk) => {
        all += String(chunk);
      })
      .on("end", () => resolve(all))
      .on("error", reject);
    parts.forEach((part, index) => {
      setTimeout(() => socket.write(part), 30 * index);
    });
  });
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n");
const post = (...more: string[]) => head("POST /echo", `content-length: ${BODY.length}`, ...more);
const LAST = "connection: close";
const bodiesOf = (text: string) =>
  [...text.matchAll(/\r\n\r\n(direct|framework)(.*?)(?=HTTP|$)/g)].map(([, ...found]) => found.join(""));

describe("a request of the usual form", () => {
  test("is answered directly, also when several share a connection or a packet", async () => {
    const port = await serve([echo, read]);
    const answers = await send(
      port,
      post() + BODY + head("GET /read"),
      post() + BODY,
      head("GET /read", LAST),
    );
    expect(bodiesOf(answers)).toEqual([`direct ${BODY}`, "direct", `direct ${BODY}`, "direct"]);
  });

  test("is answered when it can be, in the order of the requests", async () => {
    const gates: (() => void)[] = [];
    const late: DirectRoute = {
      ...echo,
      answer: (_, body) =>
        new Promise((resolve) => gates.push(() => resolve(answer(`direct ${String(body)}`)))),
    };
    const port = await serve([late, read]);
    const answers = send(port, post() + BODY + head("GET /read", LAST));
    await expect.poll(() => gates.length).toBe(1);
    gates[0]!();
    expect(bodiesOf(await answers)).toEqual([`direct ${BODY}`, "direct"]);
  });

  test("is logged, with its id, when it was slow", async () => {
    const slow: DirectRoute = {
      ...read,
      answer: () => new Promise((resolve) => setTimeout(() => resolve(answer("direct")), 2_050)),
    };
    const port = await serve([slow]);
    await send(port, head("GET /read", "x-request-id: request-17", LAST));
    await expect.poll(() => logged).toContain("a request was slow");
    expect(JSON.parse(logged)).toMatchObject({
      requestId: "request-17",
      route: "/read",
      status: 200,
      leftOut: 0,
    });
  });

  test("is timed under its route", async () => {
    const port = await serve([echo, read]);
    await send(port, post(LAST) + BODY);
    expect(await registry.metrics()).toContain(
      'assay_http_request_seconds_count{method="POST",route="/echo",status="2xx"} 1',
    );
  });
});

describe("the framework gets, as it came in,", () => {
  test.each([
    ["a body that comes later", [post(LAST), BODY]],
    ["a body in parts", [post(LAST) + BODY.slice(0, 5), BODY.slice(5)]],
    [
      "a body of unknown length",
      [`${head("POST /echo", "transfer-encoding: chunked", LAST)}15\r\n${BODY}\r\n0\r\n\r\n`],
    ],
  ])("%s", async (_, parts) => {
    const port = await serve([echo]);
    expect(bodiesOf(await send(port, ...parts))).toEqual([`framework ${BODY}`]);
  });

  test.each([
    ["is left to it", () => null],
    [
      "fails",
      () => {
        throw new Error("It fails.");
      },
    ],
  ])("a request whose direct answer %s", async (_, direct) => {
    const port = await serve([
      { ...echo, answer: direct },
      { ...read, answer: direct },
    ]);
    const answers = await send(port, post() + BODY, post() + BODY, head("GET /read", LAST));
    expect(bodiesOf(answers)).toEqual([`framework ${BODY}`, `framework ${BODY}`, "framework"]);
    expect(await registry.metrics()).not.toContain("echo");
  });

  test.each([
    ["is left to it", () => Promise.resolve(null)],
    ["fails", () => Promise.reject(new Error("It fails."))],
  ])("a request whose late answer %s", async (_, late) => {
    const port = await serve([{ ...echo, answer: () => nextTurn().then(late) }]);
    const answers = await send(port, post() + BODY, post(LAST) + BODY);
    expect(bodiesOf(answers)).toEqual([`framework ${BODY}`, `framework ${BODY}`]);
    expect(await registry.metrics()).not.toContain("echo");
  });

  test.each([
    ["another address", head("GET /read?", LAST)],
    ["another method", head("HEAD /read", LAST)],
    ["a GET with a body", `${head("GET /read", "content-length: 1", LAST)}x`],
    ["two Host headers", head("GET /read", "Host: other", LAST)],
    ["a host behind a proxy", head("GET /read", "x-forwarded-host: localhost", LAST)],
  ])("%s", async (_, request) => {
    const port = await serve([read], ["localhost"]);
    expect(await send(port, request)).not.toContain("direct");
    expect(bodiesOf(await send(port, head("GET /read", LAST)))).toEqual(["direct"]);
  });

  test("a host that is not allowed", async () => {
    const port = await serve([read], ["assay.example"]);
    expect(bodiesOf(await send(port, head("GET /read", LAST)))).toEqual(["framework"]);
  });
});
