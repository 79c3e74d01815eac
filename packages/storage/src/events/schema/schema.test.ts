import { DAY_MS, monthOf, type StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isNight } from "../../../../../tests/in-night.ts";
import { addedColumnsContract } from "../../contract-tests/added-columns.ts";
import { METRICS } from "../../contract-tests/arm-metrics.ts";
import { storedEvent, T0, wholeExperiment } from "../../contract-tests/stored-event.ts";
import { expectSyncedTables } from "../../contract-tests/synced-tables.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { BOTH_MS } from "../write/copy-ids.ts";
import { migrateSchema } from "./migrate-schema.ts";
import { SCHEMA_STEPS } from "./schema.ts";
import { applyChanges } from "./statements.ts";

const [, SECOND_STEP = []] = SCHEMA_STEPS;

const SHARED_BY_BOTH = `org_id String, experiment_id String, user_id String, event_id String,
  type Enum8('exposure' = 1, 'model_call' = 2, 'business_event' = 3),
  occurred_at DateTime64(3, 'UTC') CODEC(Delta, LZ4), received_at DateTime64(3, 'UTC') CODEC(Delta, LZ4),
  variant LowCardinality(String), latency_ms Nullable(Float64), time_to_first_token_ms Nullable(Float64),
  input_tokens Nullable(Float64), output_tokens Nullable(Float64), cost_usd Nullable(Float64), error Nullable(UInt8),
  business_metric LowCardinality(String), value Nullable(Float64)`;
const BY_USER = "ORDER BY (org_id, experiment_id, user_id, event_id)";

/** The tables as the program of that version created them. */
const FIRST_STEP = [
  `CREATE TABLE events (${SHARED_BY_BOTH}, model LowCardinality(String), provider LowCardinality(String),
     error_type LowCardinality(String), metadata String CODEC(ZSTD(3)), prompt String CODEC(ZSTD(3)),
     response String CODEC(ZSTD(3)))
   ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(occurred_at) ${BY_USER}`,
  `CREATE TABLE analysis (${SHARED_BY_BOTH}) ENGINE = ReplacingMergeTree(received_at) ${BY_USER}`,
  `CREATE MATERIALIZED VIEW events_to_analysis TO analysis AS
   SELECT org_id, experiment_id, user_id, event_id, type, occurred_at, received_at, variant, latency_ms,
     time_to_first_token_ms, input_tokens, output_tokens, cost_usd, error, business_metric, value FROM events`,
  `CREATE TABLE event_ids (org_id String, event_id String, received_at DateTime64(3, 'UTC') CODEC(Delta, LZ4),
     earliness UInt64 MATERIALIZED 18446744073709551615 - toUnixTimestamp64Milli(received_at) CODEC(Delta, LZ4))
   ENGINE = ReplacingMergeTree(earliness) ORDER BY (org_id, event_id) SETTINGS index_granularity = 256`,
];

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

addedColumnsContract("an embedded store", async () => {
  await server.client.command({ query: "CREATE DATABASE fewer_fields" });
  return { engine: engineClient(clientOf(server.clickhouse, { database: "fewer_fields" })), cluster: null };
});

test("a new store's tables are what the steps come to, also when they had begun", async () => {
  const tables = async (database: string, begin: (engine: EngineClient) => Promise<void>) => {
    await server.client.command({ query: `CREATE DATABASE ${database}` });
    const engine = engineClient(clientOf(server.clickhouse, { database }));
    await begin(engine);
    await migrateSchema(engine, null);
    const found = await engine.rows<[name: string, query: string]>(
      "SELECT name, create_table_query FROM system.tables WHERE database = {database: String} ORDER BY name",
      { database },
    );
    expect(await engine.rows("SELECT max(version) FROM schema_version", {})).toEqual([[SCHEMA_STEPS.length]]);
    await engine.close();
    return found.map(([name, query]) => {
      const [head = "", settings = ""] = query.replaceAll(database, "").split(" SETTINGS ");
      return [name, head, settings.split(", ").sort()];
    });
  };
  const made = await tables("made_new", async () => {});
  const stepped = await tables("by_steps", async (engine) => {
    const [[firstLog = ""] = []] = SCHEMA_STEPS as unknown as string[][];
    await engine.command(firstLog);
  });
  expect(made.map(([name]) => name)).toContain("stored_ids");
  expect(made).toEqual(stepped);
});

/** Events in two months, received on several days, with values whose sums depend on their order. */
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

/** Opens a store and its engine on a new database. */
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

/** Creates the tables of step 1 and stores the events as the program of that version did, some of them twice. */
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

/** Everything the store returns, and the raw log and the analysis log row by row. */
async function contentOf({ store, engine }: Opened) {
  const window = {
    orgId: "org",
    unit: "user",
    exclusions: [],
    until: T0 + 30 * DAY_MS,
    metrics: METRICS,
    prices: [],
  } as const;
  const sample = { maxUsersPerArm: 100, preDays: 5 };
  const columns = "event_id, user_id, model, latency_ms, received_at";
  return {
    arms: await store.loadArms({ ...window, experimentId: "exp", periodStarts: [], sample }),
    baseline: await store.loadBaseline({ ...window, from: T0 }),
    received: await store.countReceived(["org"], monthOf(T0)),
    traffic: await store.traffic(wholeExperiment("org")),
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

  // This step never changes again: a push stops it once, in the middle, the night after each.
  const stops = [0, ...SECOND_STEP.map((_, i) => i + 1)].filter((changes) => isNight() || changes === 3);
  test.each(stops)(
    "stopped after %i changes and started again keeps every event and gives the same bits",
    async (changes) => {
      const old = await openOn(`old_${changes}`);
      await fillAtStepOne(old);
      await applyChanges(old.engine, SECOND_STEP.slice(0, changes));
      await old.store.migrate();
      await old.store.migrate();
      await old.store.append([...EVENTS, ...LATER]);
      expect(await contentOf(old)).toEqual(expected);
      for (const now of [Date.now(), Date.now() + BOTH_MS]) while (await old.store.continueUpgrade(now));
      expect(await contentOf(old)).toEqual(expected);
      await expectSyncedTables(old.engine, "");
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
