import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "./engine-client.ts";

const TYPE = "Enum8('exposure' = 1, 'model_call' = 2, 'business_event' = 3)";
const INSTANT = "DateTime64(3, 'UTC') CODEC(Delta, LZ4)";
const NAME = "LowCardinality(String)";
const NUMBER = "Nullable(Float64)";
const TEXT = "String CODEC(ZSTD(3))";

type Columns = Readonly<Record<string, string>>;

/** What both logs had in step 1. '' stands for no variant, no business metric and no name. */
const FIRST_SHARED: Columns = {
  org_id: "String",
  experiment_id: "String",
  user_id: "String",
  event_id: "String",
  type: TYPE,
  occurred_at: INSTANT,
  received_at: INSTANT,
  variant: NAME,
  latency_ms: NUMBER,
  time_to_first_token_ms: NUMBER,
  input_tokens: NUMBER,
  output_tokens: NUMBER,
  cost_usd: NUMBER,
  error: "Nullable(UInt8)",
  business_metric: NAME,
  value: NUMBER,
};

/** What the raw log alone had in step 1. */
const FIRST_RAW: Columns = {
  model: NAME,
  provider: NAME,
  error_type: NAME,
  metadata: TEXT,
  prompt: TEXT,
  response: TEXT,
};

/** What both logs get in step 2; `analysis` gets `model` besides: health and prices outlive the raw log. */
const SECOND_SHARED: Columns = {
  cached_input_tokens: NUMBER,
  reasoning_tokens: NUMBER,
  requested_model: NAME,
  finish_reason: NAME,
};

/** Columns of the raw log in the order in which rows are sent. */
export const RAW_COLUMNS: readonly string[] = Object.keys({
  ...FIRST_SHARED,
  ...FIRST_RAW,
  ...SECOND_SHARED,
});

// Synced before the queue's ack: without these settings an acked batch lives in the page cache only.
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 60";
const BY_USER = "ORDER BY (org_id, experiment_id, user_id, event_id)";

/** A statement of a step, or what takes several. */
type Change = string | ((engine: EngineClient) => Promise<void>);

/**
 * Lists the steps of the schema, oldest first; a released step is never changed. `cluster` names the cluster
 * whose nodes get replicated tables, null the single node.
 *
 * - `raw_events`: the raw log with text, cut to retention; in partitions by the day of receipt, so that a night's
 *   sweep touches only the days that expire.
 * - `analysis`: the thin log that outlives it, filled from `raw_events` within the same insert. Without partitions,
 *   because nothing is ever dropped from it by time.
 * - `event_ids`: what was stored, written last: the mark that makes an append complete. Small granules, because
 *   each of a batch's ids is looked up in a granule of its own. The earliest row of an id is the one that stays.
 */
export function schemaSteps(cluster: string | null): readonly (readonly Change[])[] {
  const on = onCluster(cluster);
  const engine = `${cluster === null ? "" : "Replicated"}ReplacingMergeTree`;
  return [twoLogsStep(on, engine), rawEventsStep(on, engine)];
}

function twoLogsStep(on: string, engine: string): readonly Change[] {
  return [
    firstLogSql("events", on, engine),
    `CREATE TABLE IF NOT EXISTS analysis${on} (${defined(FIRST_SHARED)})
     ENGINE = ${engine}(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS events_to_analysis${on} TO analysis AS
     SELECT ${named(FIRST_SHARED)} FROM events`,
    `CREATE TABLE IF NOT EXISTS event_ids${on} (org_id String, event_id String, received_at ${INSTANT},
       earliness UInt64 MATERIALIZED 18446744073709551615 - toUnixTimestamp64Milli(received_at) CODEC(Delta, LZ4))
     ENGINE = ${engine}(earliness) ORDER BY (org_id, event_id) SETTINGS ${DURABLE}, index_granularity = 256`,
  ];
}

/** The raw log as it was before step 2: by month of occurrence, which old timestamps spread over hundreds of parts. */
function firstLogSql(name: string, on: string, engine: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name}${on} (${defined({ ...FIRST_SHARED, ...FIRST_RAW })})
    ENGINE = ${engine}(received_at) PARTITION BY toYYYYMM(occurred_at) ${BY_USER} SETTINGS ${DURABLE}`;
}

/**
 * Copies the raw log `events` into `raw_events`. The copy passes through the new view, which fills the new columns
 * of `analysis`: of rows with equal key and version the one inserted last stays. The old log is renamed before it is
 * read, so that an older process still at work fails and its queue keeps what it has. A run that begins again after
 * the old log was dropped finds an empty one.
 */
function rawEventsStep(on: string, engine: string): readonly Change[] {
  const added = Object.entries({ ...SECOND_SHARED, model: NAME });
  return [
    `ALTER TABLE analysis${on} ${added.map((column) => `ADD COLUMN IF NOT EXISTS ${column.join(" ")}`).join(", ")}`,
    `CREATE TABLE IF NOT EXISTS raw_events${on} (${defined({ ...FIRST_SHARED, ...FIRST_RAW, ...SECOND_SHARED })})
     ENGINE = ${engine}(received_at) PARTITION BY toYYYYMMDD(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS raw_events_to_analysis${on} TO analysis AS
     SELECT ${named({ ...FIRST_SHARED, ...SECOND_SHARED })}, model FROM raw_events`,
    `DROP VIEW IF EXISTS events_to_analysis${on}`,
    `RENAME TABLE IF EXISTS events TO old_events${on}`,
    firstLogSql("old_events", on, engine),
    copyOldEvents,
    `DROP TABLE IF EXISTS old_events${on} SETTINGS max_table_size_to_drop = 0`,
  ];
}

/** One statement copies a month, since each has one request's time. */
async function copyOldEvents(engine: EngineClient): Promise<void> {
  const columns = named({ ...FIRST_SHARED, ...FIRST_RAW });
  const months = await engine.rows<[string]>("SELECT DISTINCT _partition_id FROM old_events", {});
  for (const [month] of months) {
    await engine.command(
      `INSERT INTO raw_events (${columns}) SELECT ${columns} FROM old_events WHERE _partition_id = {month: String}`,
      { month },
      COPY_SETTINGS,
    );
  }
}

/** A block of the usual 256 MB, written to the partitions of many days, takes more memory than the embedded engine has. */
const COPY_SETTINGS: ClickHouseSettings = {
  max_partitions_per_insert_block: "0",
  max_threads: 1,
  min_insert_block_size_bytes: String(64 * 1024 * 1024),
};

function defined(columns: Columns): string {
  return Object.entries(columns)
    .map((column) => column.join(" "))
    .join(", ");
}

function named(columns: Columns): string {
  return Object.keys(columns).join(", ");
}

/** Brings the tables to the newest version. Every change may run twice, so a crash in between costs nothing. */
export async function migrateSchema(engine: EngineClient, cluster: string | null): Promise<void> {
  const on = onCluster(cluster);
  const replicated = cluster === null ? "" : "Replicated";
  await engine.command(`CREATE TABLE IF NOT EXISTS schema_version${on} (version UInt32)
    ENGINE = ${replicated}ReplacingMergeTree ORDER BY version SETTINGS ${DURABLE}`);
  const [current] = await engine.rows<[number]>("SELECT max(version) FROM schema_version", {});
  const done = Number(current?.[0] ?? 0);
  for (const [index, changes] of schemaSteps(cluster).entries()) {
    if (index < done) continue;
    await applyChanges(engine, changes);
    await engine.insert("schema_version", ["version"], [`[${index + 1}]\n`]);
  }
}

/** Makes the changes of a step, or the first of them, in their order. */
export async function applyChanges(engine: EngineClient, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    if (typeof change === "string") await engine.command(change);
    else await change(engine);
  }
}

/** Writes the clause that lets a statement about tables run on all of a cluster's nodes; nothing for a single node. */
export function onCluster(cluster: string | null): string {
  if (cluster === null) return "";
  return ` ON CLUSTER \`${cluster.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
