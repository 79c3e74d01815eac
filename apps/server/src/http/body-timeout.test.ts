import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../test-support/test-service.ts";

let api: TestService;
let key: string;
let session: Readonly<Record<string, string>>;
beforeAll(async () => {
  api = await openTestService({}, undefined, { bodyTimeoutMs: 500 });
  key = await api.newKey("secret");
  session = { authorization: `Bearer ${await api.token()}` };
});
afterAll(() => api.stop());

/** A request whose body stays incomplete until `finish`; `answer` is everything received once the connection is closed. */
function startSlow(path: string, headers: Readonly<Record<string, string>>) {
  const { hostname, port } = new URL(api.service.url);
  const answer = Promise.withResolvers<string>();
  let text = "";
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const isChunked = headers["transfer-encoding"] === "chunked";
  const length = isChunked ? {} : { "content-length": "3" };
  const lines = Object.entries({ host: "a", connection: "close", ...length, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${isChunked ? "1\r\n[\r\n" : "["}`);
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  // A connection that is cut off says what it got before.
  socket.on("close", () => answer.resolve(text)).on("error", () => undefined);
  return { answer: answer.promise, finish: (rest: string) => socket.write(rest) };
}

const json = { "content-type": "application/json" };

test.each([
  { name: "events", path: "/v1/events", headers: () => ({ ...json, "x-api-key": key }) },
  { name: "the dashboard's plane", path: "/v1/experiments", headers: () => ({ ...json, ...session }) },
  { name: "the contact form", path: "/v1/contact", headers: () => json },
  {
    name: "a body in chunks",
    path: "/v1/contact",
    headers: () => ({ ...json, "transfer-encoding": "chunked" }),
  },
])("a body that does not arrive is ended with 408: $name", async ({ path, headers }) => {
  const { answer: received } = startSlow(path, headers());
  const answer = await received;
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain("application/problem+json");
  expect(answer).toContain("https://assay.dev/problems/body-timeout");
  expect(answer).toContain("within 0.5 s: send it again");
});

test("a body that arrives in parts, but in time, is taken", async () => {
  const slow = startSlow("/v1/contact", json);
  // One that began later is looked at meanwhile, and refused.
  expect(await startSlow("/v1/events", { ...json, "x-api-key": "wrong" }).answer).toMatch(/ 401 /);
  slow.finish("] ");
  expect(await slow.answer).toMatch(/^HTTP\/1\.1 400 .*invalid-body/s);
});

test("a request refused before its body is read does not hold its connection", async () => {
  const answer = await startSlow("/v1/events", { ...json, "x-api-key": "wrong" }).answer;
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

test("the file of an import may take longer", async () => {
  const file = startSlow("/v1/events/import", { "content-type": "application/json", "x-api-key": key });
  // The other one began later and is over.
  expect(await startSlow("/v1/events", { ...json, "x-api-key": key }).answer).toMatch(/ 408 /);
  file.finish("] ");
  expect(await file.answer).toMatch(/^HTTP\/1\.1 200 /);
});
