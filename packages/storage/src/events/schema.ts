import type { EngineClient } from "./engine-client.ts";

/** Columns of `events` in the order in which rows are sent. */
export const EVENT_COLUMNS = [
  "org_id",
  "experiment_id",
  "user_id",
  "event_id",
  "type",
  "occurred_at",
  "received_at",
  "variant",
  "latency_ms",
  "time_to_first_token_ms",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "error",
  "business_metric",
  "value",
  "model",
  "provider",
  "error_type",
  "metadata",
  "prompt",
  "response",
] as const;

const TYPE = "Enum8('exposure' = 1, 'model_call' = 2, 'business_event' = 3)";
const INSTANT = "DateTime64(3, 'UTC') CODEC(Delta, LZ4)";

/** Columns that both logs have: what the pipeline reads. '' stands for no variant and no business metric. */
const ANALYSIS_COLUMNS = `
  org_id String,
  experiment_id String,
  user_id String,
  event_id String,
  type ${TYPE},
  occurred_at ${INSTANT},
  received_at ${INSTANT},
  variant LowCardinality(String),
  latency_ms Nullable(Float64),
  time_to_first_token_ms Nullable(Float64),
  input_tokens Nullable(Float64),
  output_tokens Nullable(Float64),
  cost_usd Nullable(Float64),
  error Nullable(UInt8),
  business_metric LowCardinality(String),
  value Nullable(Float64)`;

const TEXT_COLUMNS = `
  model LowCardinality(String),
  provider LowCardinality(String),
  error_type LowCardinality(String),
  metadata String CODEC(ZSTD(3)),
  prompt String CODEC(ZSTD(3)),
  response String CODEC(ZSTD(3))`;

// Synced before the queue's ack: without these settings an acked batch lives in the page cache only.
const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 60";
const BY_USER = "ORDER BY (org_id, experiment_id, user_id, event_id)";

/**
 * Lists the steps of the schema, oldest first; a released step is never changed. `cluster` names the cluster
 * whose nodes get replicated tables, null the single node.
 *
 * - `events`: the raw log with text, cut to retention by month.
 * - `analysis`: the thin log that outlives it, filled from `events` within the same insert. Without partitions,
 *   because a batch may hold any number of months and nothing is ever dropped from it by month.
 * - `event_ids`: what was stored, written last: the mark that makes an append complete. Small granules, because
 *   each of a batch's ids is looked up in a granule of its own. The earliest row of an id is the one that stays.
 */
export function schemaSteps(cluster: string | null): readonly (readonly string[])[] {
  const on = cluster === null ? "" : ` ON CLUSTER ${quoteIdentifier(cluster)}`;
  const engine = `${cluster === null ? "" : "Replicated"}ReplacingMergeTree`;
  return [
    [
      `CREATE TABLE IF NOT EXISTS events${on} (${ANALYSIS_COLUMNS},${TEXT_COLUMNS})
       ENGINE = ${engine}(received_at) PARTITION BY toYYYYMM(occurred_at) ${BY_USER} SETTINGS ${DURABLE}`,
      `CREATE TABLE IF NOT EXISTS analysis${on} (${ANALYSIS_COLUMNS})
       ENGINE = ${engine}(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
      `CREATE MATERIALIZED VIEW IF NOT EXISTS events_to_analysis${on} TO analysis AS
       SELECT ${EVENT_COLUMNS.slice(0, EVENT_COLUMNS.indexOf("model")).join(", ")} FROM events`,
      `CREATE TABLE IF NOT EXISTS event_ids${on} (org_id String, event_id String, received_at ${INSTANT},
         earliness UInt64 MATERIALIZED 18446744073709551615 - toUnixTimestamp64Milli(received_at) CODEC(Delta, LZ4))
       ENGINE = ${engine}(earliness) ORDER BY (org_id, event_id) SETTINGS ${DURABLE}, index_granularity = 256`,
    ],
  ];
}

/** Brings the tables to the newest version. Every statement may run twice, so a crash in between costs nothing. */
export async function migrateSchema(engine: EngineClient, cluster: string | null): Promise<void> {
  const on = cluster === null ? "" : ` ON CLUSTER ${quoteIdentifier(cluster)}`;
  const replicated = cluster === null ? "" : "Replicated";
  await engine.command(`CREATE TABLE IF NOT EXISTS schema_version${on} (version UInt32)
    ENGINE = ${replicated}ReplacingMergeTree ORDER BY version SETTINGS ${DURABLE}`);
  const [current] = await engine.rows<[number]>("SELECT max(version) FROM schema_version", {});
  const done = Number(current?.[0] ?? 0);
  for (const [index, statements] of schemaSteps(cluster).entries()) {
    if (index < done) continue;
    for (const statement of statements) await engine.command(statement);
    await engine.insert("schema_version", ["version"], [`[${index + 1}]\n`]);
  }
}

function quoteIdentifier(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
