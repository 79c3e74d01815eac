import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createAddressGuard } from "./address-guard.ts";
import { describeFault, postMessage } from "./post-message.ts";

const guard = createAddressGuard({ allowsPrivate: true });
const TIMEOUT_MS = 300;
const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

/** Starts a receiver that does what it likes with each connection's first bytes. */
async function receiver(act: (socket: Socket, request: string) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (data) => act(socket, data.toString("utf8")));
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
}

const post = (url: string) =>
  postMessage({ url, headers: { "x-own": "1" }, body: '{"é":1}' }, guard, TIMEOUT_MS);

describe("a message", () => {
  test("is posted as JSON with its headers", async () => {
    let seen = "";
    const url = await receiver((socket, request) => {
      seen = request;
      socket.end("HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok");
    });
    expect(await post(url)).toEqual({ isDelivered: true, code: 202, answer: "ok" });
    expect(seen).toContain("POST /hook HTTP/1.1");
    expect(seen).toContain("content-type: application/json");
    expect(seen).toContain("content-length: 8");
    expect(seen).toContain("x-own: 1");
    expect(seen.endsWith('{"é":1}')).toBe(true);
  });

  test.each([
    ["500", "HTTP/1.1 500 No\r\ncontent-length: 4\r\n\r\noops", { code: 500, answer: "oops" }],
    ["404 without a body", "HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n", { code: 404, answer: "" }],
    [
      "a redirect",
      "HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
      {
        code: 307,
        answer: "Redirects are not followed: enter the address that the request is redirected to.",
      },
    ],
    [
      "what is not HTTP",
      "SSH-2.0-OpenSSH_9\r\n\r\n",
      { code: null, answer: "The request failed (HPE_INVALID_CONSTANT)." },
    ],
    ["nothing", "", { code: null, answer: "The connection was closed before an answer came." }],
  ])("that gets %s is not delivered", async (_name, answer, expected) => {
    const url = await receiver((socket) => socket.end(answer));
    expect(await post(url)).toEqual({ isDelivered: false, ...expected });
  });

  test("that gets no answer ends after the timeout", async () => {
    const url = await receiver(() => {});
    expect(await post(url)).toEqual({
      isDelivered: false,
      code: null,
      answer: "No answer within 0.3 seconds.",
    });
  });

  test("that gets headers byte by byte for ever ends after the timeout", async () => {
    const url = await receiver((socket) => {
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect((await post(url)).isDelivered).toBe(false);
  });

  test("that gets a status and an endless body is delivered, and reads little of it", async () => {
    let sent = 0;
    const url = await receiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const chunk = "a".repeat(16_384);
      const timer = setInterval(() => {
        socket.write(chunk);
        sent += chunk.length;
      }, 1);
      socket.on("close", () => clearInterval(timer));
    });
    const attempt = await post(url);
    expect(attempt).toMatchObject({ isDelivered: true, code: 200 });
    expect(attempt.answer).toHaveLength(65_536);
    expect(sent).toBeLessThan(4_000_000);
  });

  test("that gets a status and a body that never ends is delivered", async () => {
    const url = await receiver((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart"));
    expect(await post(url)).toEqual({ isDelivered: true, code: 200, answer: "part" });
  });

  test("to a closed port says so, without the address", async () => {
    const attempt = await postMessage({ url: "http://127.0.0.1:1/secret", headers: {}, body: "" }, guard);
    expect(attempt).toEqual({ isDelivered: false, code: null, answer: "The connection was refused." });
  });
});

test.each([
  [
    Object.assign(new Error("getaddrinfo https://token"), { code: "ENOTFOUND" }),
    "The host name cannot be resolved.",
  ],
  [Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" }), "The request failed (CERT_HAS_EXPIRED)."],
  [new Error("https://example.com/token"), "The request failed."],
  [
    Object.assign(new Error("all"), { errors: [Object.assign(new Error("x"), { code: "ECONNREFUSED" })] }),
    "The connection was refused.",
  ],
])("%s is described", (error, text) => {
  expect(describeFault(error)).toBe(text);
});
