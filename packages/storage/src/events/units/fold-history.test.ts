import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnalysisQuery,
  DAY_MS,
  type EventStore,
  type ExclusionMatch,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import { latency, revenue } from "../../contract-tests/arm-metrics.ts";
import { MODELS, PRICES } from "../../contract-tests/some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { placedEngine } from "../engine/event-engine.ts";
import { sweepFolds } from "./fold-days.ts";

const KILLS = inNight(1, 3);
const OPERATIONS = inNight(40, 150);
const OPERATIONS_PER_REBUILD = OPERATIONS / 5;

const server = await temporaryClickHouse();
afterAll(() => server.dispose());

interface World {
  readonly database: string;
  readonly engine: EngineClient;
  readonly store: EventStore;
}

async function openWorld(database: string): Promise<World> {
  await server.client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` });
  const engine = engineClient(clientOf(server.clickhouse, { database }));
  const store = eventStoreOn(engine, null, { eventsForCells: 0 });
  await store.migrate();
  return { database, engine, store };
}

const QUERY: AnalysisQuery = {
  ...wholeExperiment("org"),
  ...{ until: T0 + 12 * DAY_MS, periodStarts: [], prices: PRICES },
  metrics: [
    revenue,
    latency,
    { ...revenue, name: "cost", source: { event: "model_call", field: "cost_usd" } },
    { ...revenue, name: "in 2 days", windowDays: 2 },
  ],
  sample: { maxUsersPerArm: 100, preDays: 14 },
};

/** Copies what is stored of the events, without any fold, and analyses the copy. */
async function rebuilt(of: World, query: AnalysisQuery, copy: World) {
  for (const table of ["analysis", "superseded_ids", "unit_days", "day_folds"])
    await copy.engine.command(`TRUNCATE TABLE ${table}`);
  for (const table of ["analysis", "superseded_ids"])
    await copy.engine.command(`INSERT INTO ${table} SELECT * FROM ${of.database}.${table} FINAL`);
  return stateOf({ ...copy, store: eventStoreOn(copy.engine, null, { eventsForCells: 0 }) }, query);
}

/** The answer of an analysis, and the cells that it was made of. */
async function stateOf({ engine, store }: World, query: AnalysisQuery) {
  const arms = await store.loadArms(query);
  const cells = await engine.rows(
    `SELECT * EXCEPT fold FROM unit_days WHERE (day, fold) IN (SELECT day, max(fold) FROM day_folds GROUP BY day) ORDER BY ALL`,
    {},
  );
  return { arms, cells };
}

/** Values whose sums depend on their order, before and after the exposures, some of them days late. */
const someEvent: fc.Arbitrary<Partial<StoredEvent>> = fc
  .record({
    kind: fc.constantFrom("exposure", "model_call", "model_call", "business_event", "business_event"),
    userId: fc.integer({ min: 0, max: 25 }).map((i) => `u${i}`),
    experimentId: fc.constantFrom("exp", "exp", "other"),
    hours: fc.integer({ min: -300, max: 280 }),
    value: fc.integer({ min: 1, max: 1e6 }).map((i) => Math.exp(Math.sin(i))),
    model: fc.constantFrom(...MODELS, null),
    hasCost: fc.boolean(),
  })
  .map(({ kind, hours, value, model, hasCost, ...common }) => {
    const at = { ...common, type: kind, occurredAt: T0 + hours * 3_600_000 } as Partial<StoredEvent>;
    if (kind === "exposure") return { ...at, variant: Number(common.userId.slice(1)) % 2 === 0 ? "a" : "b" };
    if (kind === "business_event") return { ...at, businessMetric: "revenue", value };
    const usage = { inputTokens: Math.round(1_000 * value), outputTokens: 7, model };
    return { ...at, ...usage, latencyMs: value, costUsd: hasCost ? value : null };
  });

type Operation = {
  readonly name: string;
  readonly events: readonly Partial<StoredEvent>[];
  readonly pick: number;
};

const someOperation: fc.Arbitrary<Operation> = fc.record({
  name: fc.constantFrom(
    ...[
      "append",
      "append",
      "append",
      "append",
      "append",
      "append",
      "redeliver",
      "supersede",
      "erase",
      "exclude",
      "price",
      "night",
      "sweep",
    ],
  ),
  events: fc.array(someEvent, { minLength: 1, maxLength: 6 }),
  pick: fc.nat(),
});

test("folded night by night over a history of changes, the state is byte for byte that of a rebuild", async () => {
  const [world, copy] = [await openWorld("history"), await openWorld("rebuilt")];
  const placed = placedEngine(world.engine, { database: world.database, cluster: null });
  const sent: StoredEvent[] = [];
  const done = new Map<string, number>();
  let exclusions: readonly ExclusionMatch[] = [];
  let prices = PRICES;
  let receivedAt = T0 + 13 * DAY_MS;
  const operate = async ({ name, events, pick }: Operation, index: number): Promise<unknown> => {
    done.set(name, (done.get(name) ?? 0) + 1);
    receivedAt += 1_000;
    const fresh = events.map((event, i) => storedEvent({ ...event, eventId: `e${index}-${i}`, receivedAt }));
    const old = sent[pick % Math.max(1, sent.length)];
    switch (name) {
      case "append":
        sent.push(...fresh);
        return world.store.append(fresh);
      case "redeliver":
        return world.store.appendUnmetered(sent.slice(pick % Math.max(1, sent.length)).slice(0, 5));
      case "supersede":
        return (
          old &&
          world.store.append([{ ...old, source: old.source === "publishable" ? "secret" : "publishable" }])
        );
      case "erase":
        return world.store.eraseUsers([{ orgId: "org", userId: `u${pick % 26}`, requestedAt: receivedAt }]);
      case "exclude":
        exclusions = exclusions.length > 0 ? [] : [{ userIds: [`u${pick % 26}`] }];
        return;
      case "price":
        prices = prices.length === 0 ? PRICES : PRICES.slice(0, pick % PRICES.length);
        return;
      case "night":
        return world.store.loadArms({ ...QUERY, exclusions, prices, until: T0 + (pick % 13) * DAY_MS });
      default:
        return sweepFolds(placed, Date.now() + (pick % 3) * DAY_MS);
    }
  };
  for (const [index, operation] of fc.sample(someOperation, { numRuns: OPERATIONS, seed: 25 }).entries()) {
    await operate(operation, index);
    if ((index + 1) % OPERATIONS_PER_REBUILD !== 0) continue;
    const query = { ...QUERY, exclusions, prices };
    const folded = await stateOf(world, query);
    const whole = await rebuilt(world, query, copy);
    expect(folded.arms).toEqual(whole.arms);
    // An analysis with exclusions reads no cells, so neither side has folded since.
    if (exclusions.length === 0) expect(folded.cells).toEqual(whole.cells);
  }
  expect([...done.values()].every((count) => count > OPERATIONS / 40)).toBe(true);
  const { arms } = await stateOf(world, QUERY);
  const sample = arms.metrics.find(({ metric }) => metric === "revenue")?.sample;
  expect(sample?.type === "values" && sample.preY.filter((x) => x > 0).length).toBeGreaterThan(3);
  for (const { engine } of [world, copy]) await engine.close();
}, 600_000);

test(`killed ${KILLS} times inside a fold, the state is byte for byte that of a rebuild`, async () => {
  const [world, copy] = [await openWorld("killed"), await openWorld("killed_rebuilt")];
  const events = fc.sample(someEvent, { numRuns: 60 * KILLS, seed: 7 });
  let cutOff = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const batch = events.slice(60 * kill, 60 * (kill + 1));
    await world.store.append(batch.map((event, i) => storedEvent({ ...event, eventId: `e${kill}-${i}` })));
    const night = world.store.loadArms(QUERY).then(
      () => false,
      () => true,
    );
    await sleep((150 * (kill + 1)) / KILLS);
    process.kill(server.clickhouse.pid!, "SIGKILL");
    cutOff += Number(await night);
    while (server.clickhouse.restarts <= kill) await sleep(20);
  }
  expect(cutOff).toBeGreaterThan(0);
  const folded = await stateOf(world, QUERY);
  expect(folded.cells.length).toBeGreaterThan(20);
  expect(folded).toEqual(await rebuilt(world, QUERY, copy));
  for (const { engine } of [world, copy]) await engine.close();
}, 600_000);
