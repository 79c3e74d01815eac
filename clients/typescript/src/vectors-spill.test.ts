import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { refusal } from "../test-support/sender-fixture.ts";
import { CoreClient } from "./core-client.ts";
import type { EventPayload, EventType } from "./event-row.ts";
import { scheduleTimer } from "./resolve-options.ts";
import type { Schedule } from "./schedule.ts";

type TrackedEvent = EventPayload & { readonly event_id: string; readonly type: EventType };

interface SpillCase {
  readonly name: string;
  readonly now: string;
  readonly files: readonly { readonly name: string; readonly age_seconds: number; readonly text: string }[];
  readonly clients: number;
  readonly tracked: readonly TrackedEvent[];
  readonly answers: readonly (number | "reset" | "rate-limited" | "allowance-exhausted")[];
  readonly accepted: readonly { readonly event_id: string; readonly timestamp: string }[];
  readonly kept: readonly string[];
  readonly untouched: readonly string[];
  readonly log: { readonly expired?: number; readonly unreadable?: number };
}
const vectors = readVectors<{ api_key: string; key_hash: string; cases: readonly SpillCase[] }>("spill");

let server: ScriptedServer;
let folder: string;
beforeEach(async () => {
  server = await ScriptedServer.start();
  folder = await mkdtemp(join(tmpdir(), "assay-spill-"));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

/** Time runs 500 times as fast, except for the limit of a request. */
const quick: Schedule = (delayMs, task, holds) =>
  scheduleTimer(delayMs === 10_000 ? delayMs : delayMs / 500, task, holds);

/** Three seconds on the quick clock: a busy machine has the time to write what is kept. */
const CLOSE_MS = 1_500_000;

function toReply(answer: SpillCase["answers"][number]): Reply {
  if (answer === "reset") return "reset";
  if (typeof answer === "string") return refusal(429, answer);
  return { status: answer, body: answer === 202 ? { accepted: 1, config_version: 1, rejected: [] } : {} };
}

async function prepare({ files, answers }: SpillCase): Promise<void> {
  for (const { name, age_seconds, text } of files) {
    const path = join(folder, name);
    await writeFile(path, text);
    const modified = new Date(Date.now() - age_seconds * 1_000);
    await utimes(path, modified, modified);
  }
  server.script("/v1/config", { status: 200, body: { config_version: 1, experiments: [] } });
  server.script("/v1/events", ...answers.map(toReply));
}

async function runClients(vector: SpillCase): Promise<readonly string[]> {
  const { clients, now, tracked, accepted } = vector;
  const log = new RecordedLog();
  const options = {
    apiKey: vectors.api_key,
    baseUrl: server.url,
    offlineStore: folder,
    log,
    schedule: quick,
  };
  const clock = () => Date.parse(now);
  const running = Array.from({ length: clients }, () => new CoreClient({ ...options, now: clock }));
  for (const event of tracked) running[0]?.track(event.type, event);
  await running[0]?.flush(600_000);
  const polls = server.at("/v1/config").length;
  await server.received("/v1/config", polls + 2 * clients);
  // Closing aborts a replay. On a busy machine the replay takes longer than two polls.
  await expect.poll(() => acceptedEvents(vector).length).toBeGreaterThanOrEqual(accepted.length);
  await Promise.all(running.map((client) => client.close(CLOSE_MS)));
  return log.lines;
}

/** The events that the script's answers accepted, in the order of the requests. */
function acceptedEvents({ answers }: SpillCase) {
  const batches = server.batches.filter((_, i) => answers[Math.min(i, answers.length - 1)] === 202);
  return batches.flat().map(({ event_id, timestamp }) => ({ event_id, timestamp }));
}

async function keptIds(untouched: readonly string[]): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter(
    (name) => !untouched.includes(name) && !name.startsWith(`config-${vectors.key_hash}.json`),
  );
  expect(names.filter((name) => !name.startsWith(`spill-${vectors.key_hash}-`))).toEqual([]);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n").slice(0, -1));
  return lines.map((line) => {
    const { v, event } = JSON.parse(line);
    expect(v).toBe(1);
    return event.event_id;
  });
}

function counted(lines: readonly string[], words: string): number {
  const counts = lines
    .filter((line) => line.includes(words))
    .map((line) => Number(/: (\d+)$/.exec(line)?.[1]));
  return counts.reduce((sum, count) => sum + count, 0);
}

const byId = (a: { event_id?: unknown }, b: { event_id?: unknown }) =>
  `${a.event_id}`.localeCompare(`${b.event_id}`);

test.each(vectors.cases)("spill.json: $name", async (vector) => {
  await prepare(vector);
  const lines = await runClients(vector);
  expect(acceptedEvents(vector).sort(byId)).toEqual([...vector.accepted].sort(byId));
  await expect
    .poll(async () => [...(await keptIds(vector.untouched))].sort())
    .toEqual([...vector.kept].sort());
  for (const name of vector.untouched) {
    const before = vector.files.find((file) => file.name === name)?.text;
    expect(await readFile(join(folder, name), "utf8")).toBe(before);
  }
  expect(counted(lines, "over 24 h old")).toBe(vector.log.expired ?? 0);
  expect(counted(lines, "unreadable")).toBe(vector.log.unreadable ?? 0);
});
