import { DAY_MS, monthOf, type StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { METRICS } from "../../contract-tests/arm-metrics.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { engineClient } from "../engine/engine-client.ts";
import { applyChanges, SCHEMA_STEPS } from "./schema.ts";

const [FIRST_STEP = [], SECOND_STEP = []] = SCHEMA_STEPS;

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

/** Values whose sums depend on their order, in two months and received on several days. */
const EVENTS = Array.from({ length: 3_000 }, (_, i): StoredEvent => {
  const at = { occurredAt: T0 + i, receivedAt: T0 + (i % 9) * DAY_MS };
  const common = { ...at, eventId: `e${i}`, userId: `u${i % 200}` };
  if (i < 200) return storedEvent({ ...common, variant: i % 2 ? "a" : "b" });
  return storedEvent({
    ...common,
    occurredAt: T0 + i + (i % 2) * 25 * DAY_MS,
    type: "model_call",
    latencyMs: Math.exp(5 * Math.sin(i / 3)),
    costUsd: Math.exp(Math.cos(i)),
    outputTokens: i,
    model: `model ${i % 4}`,
    prompt: "p",
  });
});
const LATER = EVENTS.slice(0, 400).map((event) => ({ ...event, eventId: `later ${event.eventId}` }));

/** Opens a store, and the engine beneath it, on a database of its own. */
async function openOn(database: string) {
  await server.client.command({ query: `CREATE DATABASE ${database}` });
  const store = clickhouseEventStore({ ...server.clickhouse, database });
  const engine = engineClient(clientOf(server.clickhouse, { database }));
  return { store, engine };
}

type Opened = Awaited<ReturnType<typeof openOn>>;

async function closeAll({ store, engine }: Opened): Promise<void> {
  await store.close();
  await engine.close();
}

/** Makes the tables of step 1 and stores the events as the program of that time did, some of them twice. */
async function fillAtStepOne({ engine }: Opened): Promise<void> {
  await engine.command(
    "CREATE TABLE schema_version (version UInt32) ENGINE = ReplacingMergeTree ORDER BY version",
  );
  await applyChanges(engine, FIRST_STEP);
  await engine.insert("schema_version", ["version"], ["[1]\n"]);
  const columns = [
    ...["org_id", "experiment_id", "user_id", "event_id", "type", "occurred_at", "received_at", "variant"],
    ...["latency_ms", "cost_usd", "output_tokens", "model", "prompt"],
  ];
  const lines = EVENTS.map((event) => {
    const ids = [event.orgId, event.experimentId, event.userId, event.eventId, event.type];
    const values = [
      event.latencyMs,
      event.costUsd,
      event.outputTokens,
      event.model ?? "",
      event.prompt ?? "",
    ];
    return `${JSON.stringify([...ids, event.occurredAt, event.receivedAt, event.variant ?? "", ...values])}\n`;
  });
  await engine.insert("events", columns, lines);
  await engine.insert("events", columns, lines.slice(500, 900));
  const ids = EVENTS.map(
    ({ orgId, eventId, receivedAt }) => `${JSON.stringify([orgId, eventId, receivedAt])}\n`,
  );
  await engine.insert("event_ids", ["org_id", "event_id", "received_at"], ids);
}

/** All that the store tells, and the raw log and the analysis log row by row. */
async function contentOf({ store, engine }: Opened) {
  const window = { orgId: "org", until: T0 + 30 * DAY_MS, metrics: METRICS, prices: [] };
  const sample = { maxUsersPerArm: 100, preDays: 5 };
  const columns = "event_id, user_id, model, latency_ms, received_at";
  return {
    arms: await store.loadArms({ ...window, experimentId: "exp", periodStarts: [], sample }),
    baseline: await store.loadBaseline({ ...window, from: T0 }),
    received: await store.countReceived("org", monthOf(T0)),
    traffic: await store.traffic("org", "exp"),
    raw: await engine.rows(`SELECT ${columns}, prompt FROM raw_events FINAL ORDER BY event_id`, {}),
    analysis: await engine.rows(`SELECT ${columns} FROM analysis FINAL ORDER BY event_id`, {}),
  };
}

describe("the upgrade of a store of step 1", () => {
  let expected: Awaited<ReturnType<typeof contentOf>>;
  beforeAll(async () => {
    const fresh = await openOn("fresh");
    await fresh.store.migrate();
    await fresh.store.append(EVENTS);
    await fresh.store.append(LATER);
    expected = await contentOf(fresh);
    await closeAll(fresh);
  });

  test.each([0, ...SECOND_STEP.map((_, i) => i + 1)])(
    "cut off after %i changes and begun again keeps every event and gives the same bits",
    async (changes) => {
      const old = await openOn(`old_${changes}`);
      await fillAtStepOne(old);
      await applyChanges(old.engine, SECOND_STEP.slice(0, changes));
      await old.store.migrate();
      await old.store.migrate();
      await old.store.append([...EVENTS, ...LATER]);
      expect(await contentOf(old)).toEqual(expected);
      const tables = await old.engine.rows<[string]>("SHOW TABLES", {});
      expect(
        tables
          .flat()
          .filter((name) => name.includes("events"))
          .sort(),
      ).toEqual(["raw_events", "raw_events_to_analysis"]);
      await closeAll(old);
    },
  );
});
