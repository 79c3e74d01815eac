import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS, type EventSource, type EventStore, monthOf, type StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revenue } from "../../contract-tests/arm-metrics.ts";
import { storedEvent, T0, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { askedSince, loadStoredKeys, REMEMBERED_MS } from "./stored-ids.ts";

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
let engine: EngineClient;
let store: EventStore;
beforeAll(async () => {
  server = await temporaryClickHouse();
  engine = engineClient(clientOf(server.clickhouse));
  store = clickhouseEventStore(server.clickhouse);
  await store.migrate();
  for (const table of ["raw_events", "analysis", "stored_ids"])
    await engine.command(`SYSTEM STOP MERGES ${table}`);
});
afterAll(async () => {
  await store.close();
  await engine.close();
  await server.dispose();
});

const DAYS_34 = 34 * DAY_MS;
const DAYS_35 = 35 * DAY_MS;

test.each<{ what: string; source: EventSource | null; age: number; since: number }>([
  { what: "just occurred", source: "secret", age: 0, since: T0 - DAYS_35 },
  { what: "is ahead of our clock", source: null, age: -DAY_MS, since: T0 - DAYS_35 },
  { what: "occurred 34 days ago", source: "import", age: DAYS_34, since: T0 - DAYS_35 },
  { what: "occurred before", source: "signed", age: DAYS_34 + 1, since: 0 },
  { what: "is a publishable key's", source: "publishable", age: 0, since: 0 },
])("the id of an event that $what is looked up since $since", ({ source, age, since }) => {
  expect(askedSince({ source, receivedAt: T0, occurredAt: T0 - age })).toBe(since);
});

test("the document says how long an id is remembered", () => {
  const limits = readFileSync(join(import.meta.dirname, "../../../../../docs/limits.md"), "utf8");
  expect(limits).toContain(
    `| an \`event_id\` that returns with another timestamp, of a secret key | known for ${REMEMBERED_MS / DAY_MS} days`,
  );
});

/** A sale that was received at T0. */
const sale = (orgId: string, fields: Partial<StoredEvent> = {}): StoredEvent =>
  storedEvent({
    ...{ orgId, eventId: "sale-1", type: "business_event", businessMetric: "revenue", value: 1 },
    ...{ occurredAt: T0, receivedAt: T0, source: "secret", ...fields },
  });

/** Appends an exposure and a sale, and returns what came of a second event with the sale's id. */
async function sendTwice(first: Partial<StoredEvent>, second: Partial<StoredEvent>) {
  const orgId = randomUUID();
  const exposed = storedEvent({ orgId, variant: "a", occurredAt: T0 - 1, receivedAt: T0, source: "secret" });
  await store.append([exposed, sale(orgId, first)]);
  const again = sale(orgId, second);
  const isStored = (await store.append([again])).length === 1;
  const months = [monthOf(T0), monthOf(again.receivedAt)];
  const counts = [];
  for (const month of new Set(months)) counts.push(...(await store.countReceived([orgId], month)));
  const { metrics } = await store.loadArms({
    ...{ ...wholeExperiment(orgId), until: T0 + 2_000 * DAY_MS, periodStarts: [], prices: [], sample: null },
    metrics: [revenue],
  });
  const [arm] = metrics;
  return { isStored, counts, events: arm?.events, sum: arm && arm.meanY * arm.users };
}

describe("an id that a trusted sender sends again", () => {
  test.each([0, 3_600_000, DAYS_35, DAYS_35 + 1, 400 * DAY_MS])(
    "with the same event, %i ms later, is a repeat",
    async (later) => {
      const { isStored, counts, events } = await sendTwice({}, { receivedAt: T0 + later, source: "import" });
      expect({ isStored, events, total: counts.reduce((sum, count) => sum + count) }).toEqual({
        ...{ isStored: false, events: 1, total: 2 },
      });
    },
  );

  test("with another timestamp is a repeat for 35 days, and then an event that takes the first one's place", async () => {
    const at = (ms: number) => ({ occurredAt: T0 + ms, receivedAt: T0 + ms, value: 7 });
    expect(await sendTwice({}, at(DAYS_35))).toMatchObject({ isStored: false, sum: 1, counts: [2, 0] });
    // Analyses count it once, also before the engine has merged both rows. Each month counts what it received.
    expect(await sendTwice({}, at(DAYS_35 + 1))).toEqual({
      isStored: true,
      events: 1,
      sum: 7,
      counts: [2, 1],
    });
  });
});

describe("an id that a trusted sender used", () => {
  const PUBLIC = { source: "publishable", value: 100 } as const;

  test.each([0, DAYS_35 + 1, 400 * DAY_MS, 3_000 * DAY_MS])(
    "replaces nothing when a publishable key sends it %i ms later",
    async (later) => {
      const at = { occurredAt: T0 + later, receivedAt: T0 + later };
      expect(await sendTwice({}, { ...PUBLIC, ...at })).toMatchObject({ isStored: false, events: 1, sum: 1 });
    },
  );

  test("is the trusted sender's when a publishable key sent it before", async () => {
    const { isStored, sum } = await sendTwice(PUBLIC, { receivedAt: T0 + DAY_MS });
    expect({ isStored, sum }).toEqual({ isStored: true, sum: 1 });
  });
});

test("an id that very many orgs have is found in each of them", async () => {
  const orgs = Array.from({ length: 1_500 }, () => randomUUID());
  await store.append(orgs.slice(1).map((orgId) => sale(orgId, { eventId: "1" })));
  const [first = "", second = ""] = orgs;
  expect(await store.append([sale(first, { eventId: "1" }), sale(second, { eventId: "1" })])).toHaveLength(1);
  const keys = [[second, "1"]] as const;
  expect(await loadStoredKeys(engine, "stored_ids", { keys, since: 0 })).toEqual([[second, "1", 0]]);
});

test("ids are found in their own org, in any number, with text of any kind", async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const ids = Array.from({ length: 9_000 }, (_, i) => (i % 2 ? `id ${i} 'ü🎈\\` : randomUUID()));
  await store.append(ids.slice(0, 6_000).map((eventId) => sale(one, { eventId, source: "publishable" })));
  await store.append(ids.slice(3_000).map((eventId) => sale(other, { eventId })));
  const keys = [one, other].flatMap((orgId) => ids.map((id) => [orgId, id] as const));
  const found = await loadStoredKeys(engine, "stored_ids", { keys, since: 0 });
  expect(new Set(found.map((key) => key.join(" ")))).toEqual(
    new Set([
      ...ids.slice(0, 6_000).map((id) => `${one} ${id} 1`),
      ...ids.slice(3_000).map((id) => `${other} ${id} 0`),
    ]),
  );
  expect(await loadStoredKeys(engine, "stored_ids", { keys, since: T0 + 1 })).toEqual([]);
});
