import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody } from "../test-support/experiments.ts";
import { newTraceId, spanIdOf, toProtobuf, tracesOf } from "../test-support/otlp-bodies.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const PROGRAM = join(ROOT, ".cache/otelcol");
const [REQUESTS, TRACES] = [40, 25];

let ahead = 0;
let api: TestService;
let door: Server;
let folder: string;
let collector: ChildProcess;
let address: string;

/** What the collector sends goes through here, because the service has another port after a restart. */
async function openDoor(): Promise<Server> {
  const server = createServer((socket) => {
    const inner = connect(Number(new URL(api.service.url).port), "127.0.0.1");
    socket.on("error", () => inner.destroy()).on("close", () => inner.destroy());
    inner.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const config = (endpoint: string, key: string) => `
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:0"}}}}
processors: {batch: {timeout: 100ms, send_batch_size: 60}}
exporters:
  otlp_http:
    endpoint: ${endpoint}/v1/otlp
    compression: gzip
    headers: {X-API-Key: ${key}}
    retry_on_failure: {initial_interval: 100ms, max_interval: 1s, max_elapsed_time: 0}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], processors: [batch], exporters: [otlp_http]}}
`;

/** Starts the collector and returns the address at which it receives. */
async function startCollector(file: string): Promise<string> {
  collector = spawn(PROGRAM, ["--config", `file:${file}`], { stdio: ["ignore", "ignore", "pipe"] });
  for await (const line of createInterface({ input: collector.stderr as NodeJS.ReadableStream })) {
    const endpoint = /"endpoint": "(127\.0\.0\.1:\d+)"/.exec(line)?.[1];
    if (endpoint === undefined) continue;
    collector.stderr?.resume();
    return `http://${endpoint}`;
  }
  throw new Error("The collector did not start.");
}

beforeAll(async () => {
  await promisify(execFile)("go", ["build", "-o", PROGRAM, "."], { cwd: join(ROOT, "tests/otelcol") });
  api = await openTestService({}, { now: () => Date.now() + ahead });
  const key = await api.newKey("secret");
  await api.call("POST", "/v1/experiments", { body: experimentBody("greeting") });
  door = await openDoor();
  folder = mkdtempSync(join(tmpdir(), "assay-collector-"));
  const file = join(folder, "config.yaml");
  writeFileSync(file, config(`http://127.0.0.1:${(door.address() as AddressInfo).port}`, key));
  address = await startCollector(file);
}, 1_200_000);
afterAll(async () => {
  collector.kill();
  door.close();
  rmSync(folder, { recursive: true, force: true });
  await api.stop();
});

let users = 0;
function traces(): Buffer {
  const at = Date.now();
  const spans = Array.from({ length: TRACES }, () => {
    const evaluation = {
      "feature_flag.key": "greeting",
      "feature_flag.result.variant": "control",
      "feature_flag.context.id": `user-${users++}`,
    };
    return {
      ...{ traceId: newTraceId(), spanId: spanIdOf(1), at },
      events: [{ name: "feature_flag.evaluation", at, attributes: evaluation }],
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.prompt": "Why?" },
    };
  });
  return toProtobuf("Traces", tracesOf(spans));
}

async function send(): Promise<void> {
  const body = new Uint8Array(traces());
  const headers = { "content-type": "application/x-protobuf" };
  const { status } = await fetch(`${address}/v1/traces`, { method: "POST", headers, body });
  expect(status).toBe(200);
}

test("a restart behind OpenTelemetry's collector loses nothing and doubles nothing", async () => {
  let restarting: Promise<void> | null = null;
  for (let request = 0; request < REQUESTS; request++) {
    await send();
    if (request === REQUESTS / 4) restarting = api.restart();
    await new Promise((done) => setTimeout(done, 50));
  }
  await restarting;
  const used = async () =>
    (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;
  await expect.poll(used, { timeout: 60_000, interval: 250 }).toBe(REQUESTS * TRACES);
  ahead = 60_000;
  await expect.poll(used, { timeout: 60_000, interval: 250 }).toBe(2 * REQUESTS * TRACES);
  const { instrumentations } = (
    await api.call<{ readonly instrumentations: readonly unknown[] }>("GET", "/v1/telemetry")
  ).body;
  expect(instrumentations).toMatchObject([
    { calls: REQUESTS * TRACES, events: REQUESTS * TRACES, waiting: 0 },
  ]);
}, 180_000);
