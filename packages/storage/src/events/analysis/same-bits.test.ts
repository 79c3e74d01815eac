import { DAY_MS } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { METRICS } from "../../contract-tests/arm-metrics.ts";
import { loadFacts } from "../../contract-tests/load-facts.ts";
import { MODELS, PRICES } from "../../contract-tests/some-prices.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { engineClient } from "../engine/engine-client.ts";
import { placedEngine } from "../engine/event-engine.ts";
import { loadAnalysis, loadArmSnapshot } from "./load-analysis.ts";

let engine: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  engine = await temporaryClickHouse();
});
afterAll(() => engine.dispose());

/** Events of users in several experiments, with values whose sums depend on their order. */
const EVENTS = Array.from({ length: 12_000 }, (_, i) => {
  const [userId, experimentId] = [`u${i % 700}`, i % 8 < 5 ? "exp" : `other-${i % 3}`];
  const common = { orgId: "org", userId, experimentId, eventId: `e${(i * 7_919) % 12_000}` };
  if (i < 700) return storedEvent({ ...common, experimentId: "exp", variant: i % 2 ? "a" : "b" });
  const occurredAt = T0 + Math.floor(Math.sin(i) * 6 * DAY_MS);
  return i % 3 === 0
    ? storedEvent({
        ...common,
        type: "business_event",
        businessMetric: "revenue",
        value: Math.exp(Math.cos(i)),
        occurredAt,
      })
    : storedEvent({
        ...common,
        type: "model_call",
        latencyMs: Math.exp(5 * Math.sin(i / 3)),
        model: MODELS[i % 5] ?? null,
        inputTokens: 100 * Math.exp(Math.sin(i / 5)),
        outputTokens: 1 / (i + 1),
        occurredAt,
      });
});

test("the same events give the same bits, for any layout on disk, when stored twice, and without the raw log", async () => {
  const store = clickhouseEventStore(engine.clickhouse);
  const command = (query: string) => engine.client.command({ query });
  const window = {
    orgId: "org",
    unit: "user",
    exclusions: [],
    until: T0 + 9 * DAY_MS,
    metrics: METRICS,
    prices: PRICES,
  } as const;
  const sample = { maxUsersPerArm: 300, preDays: 5 };
  const load = async () => ({
    arms: await store.loadArms({ ...window, experimentId: "exp", periodStarts: [], sample }),
    facts: await loadFacts(store, { ...window, experimentId: "exp", configuredModels: {} }),
    baseline: await store.loadBaseline({ ...window, from: T0 }),
  });
  await store.migrate();
  await command("SYSTEM STOP MERGES analysis");
  for (const other of ["other-2", "other-0", "other-1"]) {
    await store.append(EVENTS.filter(({ experimentId }) => experimentId === other));
  }
  await store.append(EVENTS.filter((_, i) => i % 3 === 0));
  await store.append(EVENTS.toReversed());
  const first = await load();
  const vector = first.arms.metrics.find(({ metric }) => metric === "latency")?.sample;
  expect(vector?.type === "values" && vector.preY.filter((x) => x > 0).length).toBeGreaterThan(200);

  const inParts = placedEngine(engineClient(clientOf(engine.clickhouse)), {
    database: "default",
    cluster: null,
  });
  const whole = { ...window, experimentId: "exp", periodStarts: [], sample };
  expect(await loadArmSnapshot(inParts, whole, { eventsPerPart: 500 })).toEqual(first.arms);
  const { arms, facts } = await loadAnalysis(
    inParts,
    { ...whole, factsUntil: window.until, configuredModels: {} },
    { eventsPerPart: 500 },
  );
  expect(arms).toEqual(first.arms);
  expect(facts).toEqual(first.facts);
  expect(facts.health.map(({ arm, users }) => [arm, users])).toEqual([
    ["a", 350],
    ["b", 350],
  ]);
  await inParts.close();

  await command("INSERT INTO analysis SELECT * FROM analysis");
  expect(await load()).toEqual(first);

  await command("SYSTEM START MERGES analysis");
  await command("OPTIMIZE TABLE analysis FINAL");
  expect(await load()).toEqual(first);

  await command("ALTER TABLE raw_events DROP PARTITION 20260310");
  expect(await engine.rows("SELECT event_id FROM raw_events")).toEqual([]);
  expect(await load()).toEqual(first);
  await store.close();
});
