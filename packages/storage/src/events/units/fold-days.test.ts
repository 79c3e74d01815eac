import { type AnalysisQuery, DAY_MS, type EventStore, type StoredEvent } from "@assay/domain";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { revenue } from "../../contract-tests/arm-metrics.ts";
import { emptyDatabase } from "../../contract-tests/empty-database.ts";
import { storedEvent, T0, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { placedEngine } from "../engine/event-engine.ts";
import { outdateDays, sweepFolds } from "./fold-days.ts";

const server = await temporaryClickHouse();
afterAll(() => server.dispose());

let engine: EngineClient;
let store: EventStore;
let database = "";
beforeEach(async () => {
  database = await emptyDatabase(server);
  engine = engineClient(clientOf(server.clickhouse, { database }));
  store = eventStoreOn(engine, null, { eventsForCells: 0 });
  return () => engine.close();
});

const exposure = (userId: string) => storedEvent({ userId, variant: "a", occurredAt: T0 + 3 * DAY_MS });
const again = (userId: string, day: number) => ({
  ...exposure(userId),
  eventId: "again",
  occurredAt: T0 + day * DAY_MS,
});
const ofUnit = (unitId: string, event: StoredEvent) => ({ ...event, unitId });
const bought = (userId: string, day: number, value: number) =>
  storedEvent({
    type: "business_event",
    businessMetric: "revenue",
    occurredAt: T0 + day * DAY_MS,
    ...{ userId, value },
  });

const QUERY: AnalysisQuery = {
  ...wholeExperiment("org"),
  ...{ until: T0 + 9 * DAY_MS, periodStarts: [], metrics: [revenue], prices: [] },
  sample: { maxUsersPerArm: 10, preDays: 14 },
};

async function pastOf(of: EventStore, query = QUERY): Promise<readonly number[]> {
  const [row] = (await of.loadArms(query)).metrics;
  return row?.sample?.type === "values" ? [...row.sample.preY].sort() : [];
}

const foldsOf = async () =>
  Object.fromEntries(
    await engine.rows<[day: string, folds: number]>(
      "SELECT day, uniqExact(fold) FROM unit_days GROUP BY day ORDER BY day",
      {},
    ),
  );

test("folds only the days whose events changed", async () => {
  await store.append([exposure("ann"), bought("ann", 0, 1), bought("ann", 1, 2)]);
  expect(await pastOf(store)).toEqual([3]);
  await store.append([bought("ann", 1, 4)]);
  expect(await pastOf(store)).toEqual([7]);
  expect(await foldsOf()).toEqual({ "2026-03-10": 1, "2026-03-11": 2 });
});

test("folds nothing of an org with fewer events than it says, whose past comes from the log", async () => {
  const patient = eventStoreOn(engine, null, { eventsForCells: 4 });
  await patient.append([exposure("ann"), bought("ann", 0, 1), bought("ann", 1, 2)]);
  expect(await pastOf(patient)).toEqual([3]);
  expect(await foldsOf()).toEqual({});
  await patient.append([bought("ann", 1, 4)]);
  expect(await pastOf(patient)).toEqual([7]);
  expect(await foldsOf()).toEqual({ "2026-03-10": 1, "2026-03-11": 1 });
});

test.each<[string, readonly StoredEvent[], readonly number[], Partial<AnalysisQuery>?]>([
  ["on an earlier day", [exposure("ann"), bought("ann", 2, 1)], [1]],
  ["on the day of the exposure alone", [exposure("ann"), bought("ann", 3, 1)], []],
  ["later", [exposure("ann"), bought("ann", 4, 1)], []],
  ["by somebody who was not exposed", [exposure("ann"), bought("bob", 0, 1)], []],
  ["in another experiment", [exposure("ann"), { ...bought("ann", 0, 1), experimentId: "other" }], [1]],
  ["in another org", [exposure("ann"), { ...bought("ann", 0, 1), orgId: "foreign" }], []],
  ["between two exposures", [exposure("ann"), bought("ann", 5, 1), again("ann", 6)], []],
  [
    "before a later exposure, when the first one is excluded",
    [{ ...exposure("ann"), eventId: "taken out" }, bought("ann", 4, 1), again("ann", 6)],
    [1],
    { exclusions: [{ eventIds: ["taken out"] }] },
  ],
  [
    "before a second conversation",
    [ofUnit("c1", exposure("ann")), ofUnit("c1", bought("ann", 4, 1)), ofUnit("c2", again("ann", 6))],
    [1, Number.NaN],
    { unit: "conversation" },
  ],
])("a small org's users did something %s", async (_, events, past, changed) => {
  const asked: string[] = [];
  const watched: EngineClient = {
    ...engine,
    rowBinary: (sql, ...more) => {
      asked.push(sql);
      return engine.rowBinary(sql, ...more);
    },
  };
  await store.append(events);
  const query = { ...QUERY, ...changed };
  expect(await pastOf(eventStoreOn(watched, null), query)).toEqual(past.length > 0 ? past : [Number.NaN]);
  // Whoever has no past is not asked for it: to plan that query takes as long as all others of a small night.
  expect(asked.filter((sql) => sql.includes("pre_sum"))).toHaveLength(past.length > 0 ? 1 : 0);
  expect(await pastOf(store, query)).toEqual(past.length > 0 ? past : [Number.NaN]);
});

test("folds no sums of tokens where every call reports its cost", async () => {
  const inserted: string[] = [];
  const heard: EngineClient = {
    ...engine,
    command: (sql, ...more) => {
      inserted.push(sql);
      return engine.command(sql, ...more);
    },
  };
  const cells = () =>
    engine.rows("SELECT input_tokens_sum, uncached_input_sum, uncached_input_count FROM unit_days", {});
  const call = (eventId: string, costUsd: number | null) =>
    storedEvent({ ...{ eventId, costUsd }, type: "model_call", inputTokens: 5, outputTokens: 1 });
  const listening = eventStoreOn(heard, null, { eventsForCells: 0 });
  await listening.append([exposure("ann"), call("one", 1)]);
  await pastOf(listening);
  expect(inserted.findLast((sql) => sql.includes("unit_days"))).not.toContain("uncached_input_values");
  expect(await cells()).toEqual([[5, 0, 0]]);
  await listening.append([call("two", null)]);
  await pastOf(listening);
  expect(inserted.findLast((sql) => sql.includes("unit_days"))).toContain("uncached_input_values");
  expect((await cells()).at(-1)).toEqual([10, 5, 1]);
});

test("folds a day again that is outdated, though its events are the same", async () => {
  await store.append([exposure("ann"), bought("ann", 0, 1)]);
  expect(await pastOf(store)).toEqual([1]);
  await outdateDays(placedEngine(engine, { database, cluster: null }), {
    sql: "unit_id = 'ann'",
    params: {},
  });
  expect(await pastOf(store)).toEqual([1]);
  expect(await foldsOf()).toEqual({ "2026-03-10": 2 });
});

test("that were cut off at any statement leave what was folded before, and the next one completes them", async () => {
  await store.append([exposure("ann"), bought("ann", 0, 1), bought("ann", 1, 2)]);
  expect(await pastOf(store)).toEqual([3]);
  await store.append([bought("ann", 0, 8), bought("ann", 1, 16)]);
  for (const cutOff of ["INSERT INTO unit_days", "day_folds"]) {
    const fail = (text: string) => {
      if (text.startsWith(cutOff)) throw new Error("killed");
    };
    const killed = eventStoreOn(
      {
        ...engine,
        command: async (sql, ...more) => {
          await engine.command(sql, ...more);
          fail(sql);
        },
        insert: async (table, ...more) => {
          fail(table);
          await engine.insert(table, ...more);
        },
      },
      null,
      { eventsForCells: 0 },
    );
    await expect(pastOf(killed)).rejects.toThrow("killed");
    const committed = await engine.rows("SELECT day FROM day_folds FINAL WHERE content != ''", {});
    expect(committed).toHaveLength(3);
  }
  expect((await foldsOf())["2026-03-10"]).toBe(3);
  expect(await pastOf(store)).toEqual([27]);
});

test("that no query reads are swept a day later, whether they were replaced or cut off", async () => {
  await store.append([exposure("ann"), bought("ann", 0, 1), bought("ann", 1, 2)]);
  await pastOf(store);
  await store.append([bought("ann", 0, 4)]);
  expect(await pastOf(store)).toEqual([7]);
  await engine.command(
    "INSERT INTO unit_days (org_id, day, fold, unit_id) VALUES ('org', '2026-03-11', 7, 'of a fold that was cut off')",
  );
  const placed = placedEngine(engine, { database, cluster: null });
  await sweepFolds(placed, Date.now());
  await vi.waitFor(async () => expect(await foldsOf()).toEqual({ "2026-03-10": 2, "2026-03-11": 1 }), 20_000);
  await sweepFolds(placed, Date.now() + 2 * DAY_MS);
  await vi.waitFor(async () => expect(await foldsOf()).toEqual({ "2026-03-10": 1, "2026-03-11": 1 }), 20_000);
  expect(await pastOf(store)).toEqual([7]);
});

test("lose an erased user, and have again what the user does later", async () => {
  await store.append([exposure("ann"), bought("ann", 0, 1), exposure("bob"), bought("bob", 0, 2)]);
  expect(await pastOf(store)).toEqual([1, 2]);
  const requestedAt = T0 + 60_000;
  while ((await store.eraseUsers([{ orgId: "org", userId: "ann", requestedAt }])) > 0);
  expect(await engine.rows("SELECT DISTINCT unit_id FROM unit_days", {})).toEqual([["bob"]]);
  expect(await pastOf(store)).toEqual([2]);
  const later = [exposure("ann"), bought("ann", 0, 64)].map((event) => ({
    ...event,
    receivedAt: requestedAt + 1,
  }));
  await store.append(later);
  expect(await pastOf(store)).toEqual([2, 64]);
  expect(await store.eraseUsers([{ orgId: "org", userId: "ann", requestedAt }])).toBe(0);
  expect(await pastOf(store)).toEqual([2, 64]);
});
