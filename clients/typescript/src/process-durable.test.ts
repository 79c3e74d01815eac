import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { bundle } from "../scripts/bundle.ts";
import { ACK, startService } from "../test-support/client-fixture.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { Client } from "./client.ts";
import type { FullClientOptions } from "./client-options.ts";

const EVENTS = "/v1/events";
const OUTAGE = { status: 503 };

let server: ScriptedServer;
let folder: string;
let log: RecordedLog;
beforeEach(async () => {
  server = await startService();
  folder = await mkdtemp(join(tmpdir(), "assay-durable-"));
  log = new RecordedLog();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const durable = (options: FullClientOptions = {}) =>
  new Client({
    ...{ apiKey: "svc_pk_1", baseUrl: server.url, offlineStore: folder, durable: true, log },
    flushIntervalMs: 3_600_000,
    ...options,
  });

function track(client: Pick<Client, "track">, ...ids: readonly string[]): void {
  for (const event_id of ids)
    client.track("business_event", { event_id, experiment_id: "greeting", user_id: "u" });
}

/** Starts a separate process that runs the code, with real timers. */
function start(code: string): ChildProcess {
  const prelude = `
    import { readdirSync } from "node:fs";
    import { Client } from ${JSON.stringify(new URL("./core.ts", import.meta.url).href)};
    const client = new Client({ offlineStore: process.env.FOLDER, durable: true, flushIntervalMs: 3_600_000 });
    const track = (event_id) => client.track("business_event", { event_id, experiment_id: "greeting", user_id: "u" });`;
  const env = { ...process.env, ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: server.url, FOLDER: folder };
  return spawn(process.execPath, ["--input-type=module", "--eval", prelude + code], { env });
}

/** Tracks events in a process that then waits; resolves once it waits. */
async function startTracking(count: number): Promise<ChildProcess> {
  const child = start(`
    for (let i = 0; i < ${count}; i++) track("e" + i);
    console.log("tracked");
    setInterval(() => {}, 1_000);`);
  await once(child.stdout!, "data");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const files = async () => (await readdir(folder)).filter((name) => name.endsWith(".ndjson")).sort();
const sentIds = () => server.batches.flat().map(({ event_id }) => event_id);

test.each([
  { count: 2, reply: ACK },
  { count: 2_300, reply: OUTAGE },
])("$count events survive kill -9, and the next process sends them at once", async ({ count, reply }) => {
  server.script(EVENTS, reply);
  await end(await startTracking(count));
  server.requests.length = 0;
  server.script(EVENTS, ACK);
  const next = start(`
    await client.ready();
    while (readdirSync(process.env.FOLDER).some((name) => name.includes(".ndjson")))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await client.close();`);
  expect(await text(next.stderr!)).toBe("");
  expect(sentIds().sort()).toEqual(Array.from({ length: count }, (_, i) => `e${i}`).sort());
});

test("acknowledged events leave no file", async () => {
  const client = durable();
  const ids = Array.from({ length: 2_500 }, (_, i) => `e${i}`);
  track(client, ...ids);
  const journals = await files();
  expect(journals).toHaveLength(3);
  expect((await stat(join(folder, journals[0]!))).mode & 0o777).toBe(0o600);
  expect(await client.flush()).toBe(true);
  expect(await files()).toEqual([]);
  track(client, "late");
  expect(await files()).toHaveLength(1);
  await client.close();
  expect([await files(), sentIds(), log.lines]).toEqual([[], [...ids, "late"], []]);
});

test("a file stays until all its events are settled", async () => {
  server.script(EVENTS, "hang");
  const client = durable();
  track(client, "first");
  expect(await client.flush(50)).toBe(false);
  expect(await files()).toHaveLength(1);
  await client.close(0);
});

test("no client takes the file of a living process until it has not been touched for 10 minutes", async () => {
  const child = await startTracking(1);
  const [journal = ""] = await files();
  const client = durable({ pollIntervalMs: 100 });
  expect(await client.ready()).toBe(true);
  track(client, "mine");
  expect(await client.flush()).toBe(true);
  expect([await files(), sentIds()]).toEqual([[journal], ["mine"]]);
  await utimes(join(folder, journal), 0, 0);
  await expect.poll(sentIds).toEqual(["mine", "e0"]);
  await client.close();
  await end(child);
});

test("in an outage a client ends normally and leaves one file", async () => {
  server.script(EVENTS, OUTAGE);
  const client = durable();
  track(client, "kept");
  expect(await client.close(50)).toBe(false);
  const [spill = "", ...others] = await files();
  expect([others, spill.startsWith("spill-")]).toEqual([[], true]);
  expect(await readFile(join(folder, spill), "utf8")).toContain('"kept"');
});

test("process.exit leaves each event once, to any process", async () => {
  server.script(EVENTS, OUTAGE);
  const child = start(`track("a"); track("b"); setTimeout(() => process.exit(3), 50);`);
  expect(await text(child.stderr!)).toBe("");
  const [spill = "", ...others] = await files();
  expect([others, spill.startsWith("spill-")]).toEqual([[], true]);
  expect((await readFile(join(folder, spill), "utf8")).match(/"event_id":"\w+"/g)).toEqual([
    '"event_id":"a"',
    '"event_id":"b"',
  ]);
});

test("a missing folder causes a warning, and the event is sent", async () => {
  const client = durable({ offlineStore: join(folder, "gone") });
  // The client may be writing its config there.
  await rm(join(folder, "gone"), { recursive: true, maxRetries: 10 });
  track(client, "sent");
  expect(await client.flush()).toBe(true);
  expect(sentIds()).toEqual(["sent"]);
  expect(log.lines).toContain("warn [assay] event is not durable, ENOENT: 1");
});

test("the client throws without a usable folder, unless it is offline", async () => {
  await writeFile(join(folder, "file"), "");
  for (const offlineStore of [undefined, true, join(folder, "file")])
    expect(() => durable({ offlineStore })).toThrow("durable needs an offlineStore");
  durable({ offline: true });
});

test("outside Node it is an unknown option", async () => {
  const [[, code = ""] = []] = await bundle({ entry: "index", runtime: "worker", format: "esm" });
  const { Client: WorkerClient } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  new WorkerClient({ apiKey: "svc_pk_1", baseUrl: server.url, durable: true, log });
  expect(log.lines).toEqual(["warn [assay] unknown option: durable"]);
});
