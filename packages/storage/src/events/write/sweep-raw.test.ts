import { randomBytes, randomUUID } from "node:crypto";
import { DAY_MS, monthOf } from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { latency } from "../../contract-tests/arm-metrics.ts";
import { filesHolding } from "../../contract-tests/files-holding.ts";
import { loadFacts } from "../../contract-tests/load-facts.ts";
import { storedEvent, T0, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";

const MIDNIGHT = Math.floor(T0 / DAY_MS) * DAY_MS;

let engine: Awaited<ReturnType<typeof temporaryClickHouse>>;
let store: ReturnType<typeof clickhouseEventStore>;
beforeAll(async () => {
  engine = await temporaryClickHouse();
  store = clickhouseEventStore(engine.clickhouse);
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  await engine.dispose();
});

/** Stores calls of a fresh org, received at the instants, and returns the org and their prompts. */
async function storeCalls(receivedAt: readonly number[]) {
  const orgId = randomUUID();
  // Too short for the codec to compress, so the file contains it unchanged.
  const prompts = receivedAt.map(() => randomBytes(9).toString("base64"));
  const events = receivedAt.map((at, i) =>
    storedEvent({ orgId, type: "model_call", latencyMs: 5, receivedAt: at, prompt: prompts[i] ?? null }),
  );
  const exposure = storedEvent({ orgId, variant: "a", receivedAt: Math.min(...receivedAt) });
  await store.append([exposure, ...events]);
  return { orgId, prompts, events: [exposure, ...events] };
}

const promptsOf = async (orgId: string) => {
  const sql =
    "SELECT prompt FROM raw_events WHERE org_id = {orgId: String} AND prompt != '' ORDER BY received_at";
  return (await engine.rows<{ prompt: string }>(sql, { orgId })).map(({ prompt }) => prompt);
};

const filesWith = (text: string) => filesHolding(engine.dataDir, text);

test("removes the orgs' rows received before the instant, to the millisecond, and no others", async () => {
  const before = MIDNIGHT + DAY_MS / 2;
  const times = [MIDNIGHT - DAY_MS, MIDNIGHT - 1, MIDNIGHT, before - 1, before, MIDNIGHT + DAY_MS];
  const [swept, longer, other] = [await storeCalls(times), await storeCalls(times), await storeCalls(times)];
  const removed = await store.sweepRaw([
    { orgIds: [swept.orgId, "it's \\ nobody"], receivedBefore: before },
    { orgIds: [longer.orgId], receivedBefore: MIDNIGHT },
  ]);
  expect(removed).toBe(1 + 4 + 1 + 2);
  expect(await promptsOf(swept.orgId)).toEqual(swept.prompts.slice(4));
  expect(await promptsOf(longer.orgId)).toEqual(longer.prompts.slice(2));
  expect(await promptsOf(other.orgId)).toEqual(other.prompts);
  expect(await store.sweepRaw([{ orgIds: [swept.orgId], receivedBefore: before }])).toBe(0);
});

test("removes the text from the disk, for days that expire in part and as a whole", async () => {
  await engine.client.command({ query: "ALTER TABLE raw_events MODIFY SETTING old_parts_lifetime = 1" });
  const whole = await storeCalls([MIDNIGHT - 100 * DAY_MS]);
  const part = await storeCalls([MIDNIGHT - 90 * DAY_MS]);
  const kept = await storeCalls([MIDNIGHT - 90 * DAY_MS]);
  const [gone, goneToo, stays] = [whole, part, kept].map(({ prompts }) => prompts[0] ?? "") as [
    string,
    string,
    string,
  ];
  // While the engine merges two parts, a look may miss the text in both.
  const areThere = async () => {
    for (const text of [gone, goneToo, stays]) expect(await filesWith(text)).not.toEqual([]);
  };
  await vi.waitFor(areThere, { timeout: 80_000, interval: 200 });
  const orgIds = [whole.orgId, part.orgId];
  expect(await store.sweepRaw([{ orgIds, receivedBefore: MIDNIGHT - 80 * DAY_MS }])).toBe(4);
  const areGone = async () => {
    // An idle engine rarely looks for replaced files; this makes it look.
    await engine.client.command({ query: "ALTER TABLE raw_events DROP PARTITION ID '20010101'" });
    expect([...(await filesWith(gone)), ...(await filesWith(goneToo))]).toEqual([]);
  };
  await vi.waitFor(areGone, { timeout: 80_000, interval: 200 });
  expect(await filesWith(stays)).not.toEqual([]);
  const mutations = "SELECT command FROM system.mutations WHERE command LIKE '%20251130%'";
  expect(await engine.rows(mutations)).toEqual([]); // the whole day was dropped, not rewritten
});

test("keeps the data that analyses read, and does not store a redelivered event again", async () => {
  const { orgId, events } = await storeCalls([T0 + 1, T0 + 2, T0 + 3]);
  const query = { ...wholeExperiment(orgId), until: T0 + DAY_MS, prices: [] };
  const load = async () => ({
    arms: await store.loadArms({ ...query, periodStarts: [], metrics: [latency], sample: null }),
    facts: await loadFacts(store, { ...query, configuredModels: {} }),
    received: await store.countReceived([orgId], monthOf(T0)),
    traffic: await store.traffic(wholeExperiment(orgId)),
  });
  const before = await load();
  expect(before.arms.metrics).toMatchObject([{ events: 3 }]);
  expect(await store.sweepRaw([{ orgIds: [orgId], receivedBefore: T0 + DAY_MS }])).toBe(4);
  expect(await load()).toEqual(before);
  await store.append(events);
  expect(await promptsOf(orgId)).toEqual([]);
  expect(await load()).toEqual(before);
});

test("accepts rules without orgs, and more orgs than fit in one parameter", async () => {
  const { orgId } = await storeCalls([T0]);
  expect(await store.sweepRaw([])).toBe(0);
  expect(await store.sweepRaw([{ orgIds: [], receivedBefore: T0 + DAY_MS }])).toBe(0);
  const others = Array.from({ length: 5_000 }, () => randomUUID());
  expect(await store.sweepRaw([{ orgIds: [...others, orgId], receivedBefore: T0 + DAY_MS }])).toBe(2);
  expect(await promptsOf(orgId)).toEqual([]);
});
