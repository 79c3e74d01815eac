import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterEach, describe, expect, test } from "vitest";
import { type EngineClient, engineClient } from "./engine-client.ts";
import { failWhenHung } from "./fail-when-hung.ts";

const CLEAN_UP: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const run of CLEAN_UP.splice(0)) await run();
});

/** Starts a server that handles each request with `answer`; returns a client and a count of requests. */
async function serverThat(
  answer: (socket: Socket, nth: number, request: string) => void,
  { insertTimeoutMs, pingMs }: { readonly insertTimeoutMs?: number; readonly pingMs?: number } = {},
) {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (request) => {
      requests += 1;
      answer(socket, requests, request.toString());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const client = createClient({
    url,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const engine: EngineClient = engineClient(client, {
    ...(insertTimeoutMs !== undefined && { insertTimeoutMs }),
    ...(pingMs !== undefined && { watch: failWhenHung(url, 50, pingMs) }),
  });
  CLEAN_UP.push(async () => {
    await engine.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { engine, requests: () => requests };
}

const isPing = (request: string) => request.startsWith("GET /ping ");

const reply = (socket: Socket, status: string, body: string, headers = "") =>
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n${headers}Connection: close\r\n\r\n${body}`,
  );

const UNAVAILABLE = { kind: "storage-unavailable", retryAfterSeconds: expect.any(Number) };

describe("a connection that breaks before the answer", () => {
  test("does not fail a read, which is retried once", async () => {
    const { engine, requests } = await serverThat((socket, nth) =>
      nth === 1 ? socket.resetAndDestroy() : reply(socket, "200 OK", "[1]\n"),
    );
    expect(await engine.rows("SELECT 1", {})).toEqual([[1]]);
    expect(requests()).toBe(2);
  });

  test("fails a read as unavailable when it breaks again", async () => {
    const { engine, requests } = await serverThat((socket) => socket.resetAndDestroy());
    await expect(engine.rows("SELECT 1", {})).rejects.toMatchObject(UNAVAILABLE);
    expect(requests()).toBe(2);
  });

  test("fails an insert as unavailable, because only the queue retries it", async () => {
    const { engine, requests } = await serverThat((socket) => socket.resetAndDestroy());
    await expect(engine.insert("t", ["n"], ["[1]\n"])).rejects.toMatchObject(UNAVAILABLE);
    expect(requests()).toBe(1);
  });
});

test("an insert that a hung server does not answer fails as unavailable", async () => {
  const { engine } = await serverThat(() => {}, { insertTimeoutMs: 200 });
  await expect(engine.insert("t", ["n"], ["[1]\n"])).rejects.toMatchObject(UNAVAILABLE);
});

test.each([
  { code: 159, name: "TIMEOUT_EXCEEDED" },
  { code: 202, name: "TOO_MANY_SIMULTANEOUS_QUERIES" },
  { code: 225, name: "NO_ZOOKEEPER" },
  { code: 242, name: "TABLE_IS_READ_ONLY" },
  { code: 252, name: "TOO_MANY_PARTS" },
  { code: 279, name: "ALL_CONNECTION_TRIES_FAILED" },
  { code: 285, name: "TOO_FEW_LIVE_REPLICAS" },
  { code: 999, name: "KEEPER_EXCEPTION" },
])("$name means that the engine is unavailable", async ({ code, name }) => {
  const body = `Code: ${code}. DB::Exception: what happened. (${name}) (version 26.7.2.1)`;
  const { engine } = await serverThat((socket) =>
    reply(socket, "500 Internal Server Error", body, `X-ClickHouse-Exception-Code: ${code}\r\n`),
  );
  await expect(engine.insert("t", ["n"], ["[1]\n"])).rejects.toMatchObject(UNAVAILABLE);
});

test("a 503 from a load balancer means that the engine is unavailable", async () => {
  const { engine } = await serverThat((socket) => reply(socket, "503 Service Unavailable", "no backend"));
  await expect(engine.rows("SELECT 1", {})).rejects.toMatchObject(UNAVAILABLE);
});

describe("a read that takes long", () => {
  test("fails as unavailable when the server hangs", async () => {
    const { engine } = await serverThat(() => {}, { pingMs: 300 });
    for (const read of [engine.rows, engine.rowBinary, engine.native])
      await expect(read("SELECT 1", {})).rejects.toMatchObject(UNAVAILABLE);
  });

  test("is waited for while the server answers pings, whatever it answers", async () => {
    let pings = 0;
    const { engine } = await serverThat(
      (socket, _nth, request) => {
        if (isPing(request)) {
          pings += 1;
          reply(socket, "404 Not Found", "no");
        } else setTimeout(() => reply(socket, "200 OK", "[1]\n"), 1_000);
      },
      { pingMs: 5_000 },
    );
    expect(await engine.rows("SELECT 1", {})).toEqual([[1]]);
    expect(pings).toBeGreaterThan(3);
  });

  test("survives a single ping that is lost", async () => {
    let pings = 0;
    const { engine } = await serverThat(
      (socket, _nth, request) => {
        if (!isPing(request)) setTimeout(() => reply(socket, "200 OK", "[1]\n"), 1_000);
        else if (++pings !== 2) reply(socket, "200 OK", "Ok.");
      },
      { pingMs: 300 },
    );
    expect(await engine.rows("SELECT 1", {})).toEqual([[1]]);
  });
});
