import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect } from "node:net";
import Fastify from "fastify";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { discardUnreadSlowly } from "./discard-slowly.ts";

const KIB = 1024;

const LARGE_BYTES = 4 * 1024 * KIB;

const app = Fastify({ bodyLimit: 2 * LARGE_BYTES });
let port: number;
beforeAll(async () => {
  discardUnreadSlowly(app);
  app.addHook("onRequest", (request, reply, done) => {
    if (request.url.startsWith("/refused")) reply.code(429).send("refused");
    else done();
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body: Buffer, done) => done(null, body));
  app.post("/refused", async () => "never");
  app.post("/read", async (request) => String((request.body as Buffer).length));
  await app.listen({ port: 0, host: "127.0.0.1" });
  port = (app.server.address() as { port: number }).port;
});
afterAll(() => app.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Sends a body on a connection that stays open, and then asks for `/read` on it. Returns the statuses of both answers. */
async function sendTwice(path: string, bytes: number): Promise<readonly string[]> {
  const socket = connect({ host: "127.0.0.1", port });
  const head = (to: string, length: number) =>
    `POST ${to} HTTP/1.1\r\nhost: a\r\ncontent-type: a/b\r\ncontent-length: ${length}\r\n\r\n`;
  socket.write(head(path, bytes));
  socket.write(Buffer.alloc(bytes));
  socket.write(`${head("/read", 3)}abc`);
  let text = "";
  while ((text.match(/HTTP\/1\.1/g) ?? []).length < 2) text += String((await once(socket, "data"))[0]);
  socket.destroy();
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);
}

/** Counts the pauses in reading requests to a path. The end of an earlier test's body may still be read. */
function pausesOf(path: string) {
  const pause = vi.spyOn(IncomingMessage.prototype, "pause");
  return () => pause.mock.contexts.filter((request) => (request as IncomingMessage).url === path).length;
}

test("a refused body is read to its end with a pause after each piece, so that the connection can be used again", async () => {
  const paused = pausesOf("/refused?large");
  expect(await sendTwice("/refused?large", LARGE_BYTES)).toEqual(["429", "200"]);
  // A piece has at most 64 KiB.
  expect(paused()).toBeGreaterThanOrEqual((LARGE_BYTES - 256 * KIB) / (64 * KIB));
});

test("up to 256 KiB are read at once", async () => {
  const paused = pausesOf("/refused?small");
  expect(await sendTwice("/refused?small", 256 * KIB)).toEqual(["429", "200"]);
  expect(paused()).toBe(0);
});

test("a body that is not refused is read at once", async () => {
  const paused = pausesOf("/read?large");
  expect(await sendTwice("/read?large", LARGE_BYTES)).toEqual(["200", "200"]);
  expect(paused()).toBe(0);
});
