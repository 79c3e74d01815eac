import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ScriptedResponse, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { CoreClient } from "./core-client.ts";

interface KeptCase {
  readonly name: string;
  readonly file: string | null;
  readonly replies: readonly ScriptedResponse[];
  readonly at_once: string | null;
  readonly after_poll: string | null;
  readonly kept: "unchanged" | null | number;
  readonly in_use_seconds: number | null;
  readonly unreadable: number;
}
interface KeptVectors {
  readonly api_key: string;
  readonly key_hash: string;
  readonly now: string;
  readonly cases: readonly KeptCase[];
}
const vectors = readVectors<KeptVectors>("kept-config");
const NAME = `config-${vectors.key_hash}.json`;

let server: ScriptedServer;
let folder: string;
beforeEach(async () => {
  server = await ScriptedServer.start();
  folder = await mkdtemp(join(tmpdir(), "assay-kept-"));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

/** A client on the folder, and a promise that resolves once it has processed the answer to its first poll. */
function start(log: RecordedLog, options = {}) {
  const polled = Promise.withResolvers<void>();
  const client = new CoreClient({
    apiKey: vectors.api_key,
    baseUrl: `${server.url}/`,
    offlineStore: folder,
    log,
    now: () => Date.parse(vectors.now),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      setTimeout(polled.resolve, 50);
      return response;
    },
    ...options,
  });
  return { client, polled: polled.promise };
}
const saying = (log: RecordedLog, words: string) => log.lines.filter((line) => line.includes(words));
const fileText = () => readFile(join(folder, NAME), "utf8").catch(() => null);

test.each(vectors.cases)("kept-config.json: $name", async (vector) => {
  const { file, replies, at_once, after_poll, kept, in_use_seconds, unreadable } = vector;
  server.script("/v1/config", ...replies);
  const before = file?.replaceAll("{base_url}", server.url) ?? null;
  if (before !== null) await writeFile(join(folder, NAME), before);
  const log = new RecordedLog();
  const { client, polled } = start(log);
  expect(client.assign("greeting", "u")).toBe(at_once);
  if (at_once !== null) expect(await client.ready(0)).toBe(true);
  await polled;
  expect(client.assign("greeting", "u")).toBe(after_poll);
  if (typeof kept === "number") {
    await expect
      .poll(async () => JSON.parse((await fileText()) ?? "{}"))
      .toEqual({
        v: 1,
        key_hash: vectors.key_hash,
        base_url: server.url,
        kept_at: vectors.now,
        config: replies[0]?.body,
      });
    expect((await stat(join(folder, NAME))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual([NAME]);
  } else expect(await fileText()).toBe(before);
  expect(saying(log, "kept config in use")).toHaveLength(in_use_seconds === null ? 0 : 1);
  if (in_use_seconds !== null) expect(log.lines.join()).toContain(` ${in_use_seconds} s `);
  expect(saying(log, "unreadable kept config")).toHaveLength(unreadable);
  expect(log.lines.join()).not.toContain(vectors.api_key);
  await client.close(0);
});

test("10,000 users keep their variants through a restart in an outage", async () => {
  const experiment = {
    ...{ id: "1", name: "greeting", status: "running", salt: "s", bucket_count: 1_000 },
    ...{
      buckets: [
        [300, 0],
        [900, 1],
        [1_000, -1],
      ],
      variants: [{ key: "control" }, { key: "short" }],
    },
  };
  const variants = (client: CoreClient) =>
    Array.from({ length: 10_000 }, (_, index) => client.assign("greeting", `user-${index}`));
  server.script("/v1/config", { status: 200, body: { config_version: 1, experiments: [experiment] } });
  const { client } = start(new RecordedLog(), { trackExposures: false });
  expect(await client.ready()).toBe(true);
  const before = variants(client);
  expect(new Set(before)).toEqual(new Set(["control", "short", null]));
  await expect.poll(fileText).not.toBeNull();
  await client.close(0);
  server.script("/v1/config", { status: 503 });
  const restarted = start(new RecordedLog(), { trackExposures: false });
  expect(variants(restarted.client)).toEqual(before);
  await restarted.polled;
  expect(variants(restarted.client)).toEqual(before);
  await restarted.client.close(0);
});

test("a bootstrap takes precedence over the kept config", async () => {
  const { file, at_once } = vectors.cases.find(({ in_use_seconds }) => in_use_seconds === 3600)!;
  await writeFile(join(folder, NAME), file!.replaceAll("{base_url}", server.url));
  server.script("/v1/config", { status: 503 });
  expect(start(new RecordedLog()).client.assign("greeting", "u")).toBe(at_once);
  const log = new RecordedLog();
  const bootstrap = { config_version: 9, experiments: [] };
  const { client, polled } = start(log, { bootstrap });
  expect(client.configSnapshot()).toEqual(bootstrap);
  await polled;
  expect(saying(log, "kept config")).toEqual([]);
});

test("a config over 4 MiB is neither written nor read", async () => {
  const body = { config_version: 1, experiments: [], note: "x".repeat(4 * 1024 * 1024) };
  server.script("/v1/config", { status: 200, body });
  const log = new RecordedLog();
  const { polled } = start(log);
  await polled;
  await expect.poll(() => saying(log, "over 4 MiB")).toHaveLength(1);
  expect(await fileText()).toBeNull();
  await writeFile(join(folder, NAME), JSON.stringify({ v: 1, config: body }));
  expect(start(log).client.configSnapshot()).toBeNull();
  expect(saying(log, "unreadable kept config")).toHaveLength(1);
});

test("an unreadable file causes a warning, and the client continues", async () => {
  await mkdir(join(folder, NAME));
  server.script("/v1/config", { status: 200, body: vectors.cases[1]!.replies[0]?.body ?? {} });
  const log = new RecordedLog();
  expect(start(log).client.assign("greeting", "u")).toBeNull();
  expect(saying(log, "offlineStore fails, EISDIR")).toHaveLength(1);
});
