import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

let child: ChildProcess;
let url: string;
beforeEach(async () => {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  child = spawn(process.execPath, [main], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(child.stdout!, "data");
  url = String(line).trim();
});
afterEach(() => {
  child.kill();
});

const install = (body: string) => fetch(`${url}/scenario`, { method: "PUT", body });
const requests = async () =>
  (await (await fetch(`${url}/scenario/requests`)).json()) as readonly Record<string, unknown>[];
const post = (body: string, signal?: AbortSignal) =>
  fetch(`${url}/v1/events`, { method: "POST", headers: { "X-API-Key": "k" }, body, signal: signal ?? null });

test("prints where it listens, on this machine only", () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("answers each path from its script, repeats the last reply, and reports the requests", async () => {
  const replies = [
    { status: 503, headers: { "retry-after": "7" } },
    { status: 202, body: { accepted: 1 } },
  ];
  expect((await install(JSON.stringify({ "/v1/events": replies }))).status).toBe(204);
  const first = await post("one");
  expect([first.status, first.headers.get("retry-after")]).toEqual([503, "7"]);
  for (const body of ["two", "three"]) expect(await (await post(body)).json()).toEqual({ accepted: 1 });
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  expect(await requests()).toMatchObject([
    { method: "POST", path: "/v1/events", headers: { "x-api-key": "k" }, body: "one" },
    { body: "two" },
    { body: "three" },
    { method: "GET", path: "/elsewhere", body: "" },
  ]);
});

test("a new scenario replaces the last one and its requests", async () => {
  await install(JSON.stringify({ "/v1/events": [{ status: 202 }] }));
  await post("one");
  await install(JSON.stringify({ "/v1/config": [{ status: 304 }] }));
  expect(await requests()).toEqual([]);
  expect((await post("two")).status).toBe(404);
});

test("drops a connection, cuts an answer, or never answers", async () => {
  const broken = { status: 200, chunks: ["{"], end: "reset" };
  await install(JSON.stringify({ "/v1/events": ["reset", broken, "hang"] }));
  await expect(post("one")).rejects.toThrow();
  await expect((await post("two")).text()).rejects.toThrow();
  const abort = new AbortController();
  const hanging = post("three", abort.signal);
  await expect.poll(async () => (await requests()).length).toBe(3);
  abort.abort();
  await expect(hanging).rejects.toThrow();
});

test.each([
  "no JSON",
  "[]",
  "null",
  '{"/v1/events": {"status": 202}}',
  '{"/v1/events": ["resett"]}',
  '{"/v1/events": [{"body": 1}]}',
])("refuses %s as a scenario and keeps the last one", async (body) => {
  await install(JSON.stringify({ "/v1/events": [{ status: 202 }] }));
  expect((await install(body)).status).toBe(400);
  expect((await post("one")).status).toBe(202);
});

test("a client killed in the middle of a request does not stop the server", async () => {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  await new Promise((sent) => {
    socket.write("POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf", sent);
  });
  socket.destroy();
  expect((await install("{}")).status).toBe(204);
  expect((await install("{}")).status).toBe(204);
  expect(await requests()).toEqual([]);
});

test("knows no other control", async () => {
  expect((await fetch(`${url}/scenario`)).status).toBe(404);
  expect(await requests()).toEqual([]);
});

test("ends when its standard input closes, even with open connections", async () => {
  await install(JSON.stringify({ "/v1/events": ["hang"] }));
  const hanging = expect(post("one")).rejects.toThrow();
  await expect.poll(async () => (await requests()).length).toBe(1);
  const ended = once(child, "exit");
  child.stdin!.end();
  expect(await ended).toEqual([0, null]);
  await hanging;
});
