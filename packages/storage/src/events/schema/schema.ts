import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";

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
export const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 60";
export const BY_USER = "ORDER BY (org_id, experiment_id, user_id, event_id)";

/** What is written with an event's id: the definitions of `event_ids`. */
export const ID_COLUMNS = `org_id String, event_id String, received_at ${INSTANT},
       earliness UInt64 MATERIALIZED 18446744073709551615 - toUnixTimestamp64Milli(received_at) CODEC(Delta, LZ4)`;
export const ID_ORDER = "ORDER BY (org_id, event_id)";
export const ID_SETTINGS = `${DURABLE}, index_granularity = 256`;

const RAW_NOW: Columns = { ...FIRST_SHARED, ...FIRST_RAW, ...SECOND_SHARED };

/** Definitions of the raw log's columns as of step 2. */
export const RAW_DEFINITION = defined(RAW_NOW);

/** Definitions of the analysis log's columns as of step 2, in the order in which the steps made them. */
export const ANALYSIS_DEFINITION = defined({ ...FIRST_SHARED, ...SECOND_SHARED, model: NAME });

/** Writes what feeds the analysis log with the raw log's rows, as of step 2. */
export function analysisViewSql(rawEvents: string): string {
  return `SELECT ${named({ ...FIRST_SHARED, ...SECOND_SHARED })}, model FROM ${rawEvents}`;
}

/** A statement of a step, or what takes several. */
export type Change = string | ((engine: EngineClient) => Promise<void>);

export type Step = readonly Change[];

/**
 * Lists the steps of the schema on one node, oldest first; a released step is never changed (`cluster-schema.ts` has a
 * cluster's).
 *
 * - `raw_events`: the raw log with text, cut to retention; in partitions by the day of receipt, so that a night's
 *   sweep touches only the days that expire.
 * - `analysis`: the thin log that outlives it, filled from `raw_events` within the same insert. Without partitions,
 *   because nothing is ever dropped from it by time.
 * - `event_ids`: what was stored, written last: the mark that makes an append complete. Small granules, because
 *   each of a batch's ids is looked up in a granule of its own. The earliest row of an id is the one that stays.
 */
export const SCHEMA_STEPS: readonly Step[] = [twoLogsStep(), rawEventsStep()];

function twoLogsStep(): Step {
  return [
    firstLogSql("events"),
    `CREATE TABLE IF NOT EXISTS analysis (${defined(FIRST_SHARED)})
     ENGINE = ReplacingMergeTree(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS events_to_analysis TO analysis AS
     SELECT ${named(FIRST_SHARED)} FROM events`,
    `CREATE TABLE IF NOT EXISTS event_ids (${ID_COLUMNS})
     ENGINE = ReplacingMergeTree(earliness) ${ID_ORDER} SETTINGS ${ID_SETTINGS}`,
  ];
}

/** The raw log as it was before step 2: by month of occurrence, which old timestamps spread over hundreds of parts. */
function firstLogSql(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (${defined({ ...FIRST_SHARED, ...FIRST_RAW })})
    ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(occurred_at) ${BY_USER} SETTINGS ${DURABLE}`;
}

/**
 * Copies the raw log `events` into `raw_events`. The copy passes through the new view, which fills the new columns
 * of `analysis`: of rows with equal key and version the one inserted last stays. The old log is renamed before it is
 * read, so that an older process still at work fails and its queue keeps what it has. A run that begins again after
 * the old log was dropped finds an empty one.
 */
function rawEventsStep(): Step {
  const added = Object.entries({ ...SECOND_SHARED, model: NAME });
  return [
    `ALTER TABLE analysis ${added.map((column) => `ADD COLUMN IF NOT EXISTS ${column.join(" ")}`).join(", ")}`,
    `CREATE TABLE IF NOT EXISTS raw_events (${RAW_DEFINITION})
     ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMMDD(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS raw_events_to_analysis TO analysis AS
     ${analysisViewSql("raw_events")}`,
    `DROP VIEW IF EXISTS events_to_analysis`,
    `RENAME TABLE IF EXISTS events TO old_events`,
    firstLogSql("old_events"),
    copyOldEvents,
    `DROP TABLE IF EXISTS old_events SETTINGS max_table_size_to_drop = 0`,
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

/** Makes the changes of a step, or the first of them, in their order. */
export async function applyChanges(engine: EngineClient, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    if (typeof change === "string") await engine.command(change);
    else await change(engine);
  }
}
