import type { EngineClient } from "../engine/engine-client.ts";
import { onCluster } from "../engine/event-engine.ts";
import { idBitsSql } from "../sql/id-bits.ts";
import { INSTANT } from "./event-columns.ts";
import { DURABLE, distributedSql, type Step, SYNCED, syncedSql } from "./statements.ts";

const EARLINESS =
  "earliness UInt64 MATERIALIZED 18446744073709551615 - toUnixTimestamp64Milli(received_at) CODEC(Delta, LZ4)";

/** Creates the table that step 7 replaces, on one node or on each node of a cluster. It stores ids as text, without partitions. */
export function createEventIdsSql(cluster: string | null): string {
  const [local, replicated] = namesOf(cluster);
  return `CREATE TABLE IF NOT EXISTS event_ids${local}${onCluster(cluster)} (org_id String, event_id String, received_at ${INSTANT}, ${EARLINESS})
     ENGINE = ${replicated}ReplacingMergeTree(earliness) ORDER BY (org_id, event_id) SETTINGS ${DURABLE}, index_granularity = 256`;
}

/** The sharding key of event ids on a cluster: all rows of an id are on one shard. */
export const SHARD_OF_EVENT_IDS = "cityHash64(org_id, event_id)";

/** Adds the sender's class to a table of ids. Existing ids get the trusted class. */
export function classedIdsSql(table: string): string {
  return `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS is_public UInt8, MODIFY ORDER BY (org_id, event_id, is_public)`;
}

const STORED_IDS = "stored_ids";
const COPY = "id_copy";
const VIEW = "event_ids_to_stored_ids";

/**
 * How far the copy of `event_ids` is: rows with a phase and an instant in epoch milliseconds. `begun`: since then, the view also
 * fills the new table. `copied`: everything received before then has been copied. `complete`: since then, the new table is read.
 * `again`: ids received between the start of the copy and this instant have been copied a second time.
 */
const COPY_COLUMNS = "phase Enum8('begun' = 1, 'copied' = 2, 'complete' = 3, 'again' = 4), at Int64";

/** The changes that recreate the table of ids as text, in its last form, and prepare its copy. */
export function eventIdsStep(cluster: string | null): Step {
  const table = `event_ids${namesOf(cluster)[0]}${onCluster(cluster)}`;
  return [
    createEventIdsSql(cluster),
    classedIdsSql(table),
    syncedSql(table),
    ...spread(cluster, "event_ids", SHARD_OF_EVENT_IDS),
    ...storedIdsStep(cluster),
  ];
}

const spread = (cluster: string | null, table: string, shardedBy: string): Step =>
  cluster === null ? [] : [distributedSql(cluster, table, shardedBy)];

/** Creates the tables of step 7: on one node, or on a cluster as Distributed tables over `…_local` tables. */
export function storedIdsStep(cluster: string | null): Step {
  const on = onCluster(cluster);
  const [local, replicated] = namesOf(cluster);
  return [
    createStoredIdsSql(cluster),
    ...spread(cluster, STORED_IDS, "cityHash64(id)"),
    `CREATE TABLE IF NOT EXISTS ${COPY}${local}${on} (${COPY_COLUMNS})
     ENGINE = ${replicated}MergeTree ORDER BY (phase, at) SETTINGS ${SYNCED}`,
    ...spread(cluster, COPY, "at"),
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${VIEW}${on} TO ${STORED_IDS} AS
     SELECT ${COPIED_IDS} FROM event_ids${local}`,
    async (engine) => {
      const [begun] = await engine.rows(`SELECT at FROM ${COPY} WHERE phase = 'begun' LIMIT 1`, {});
      if (begun === undefined) await noteCopy(engine, "begun", Date.now());
    },
  ];
}

function namesOf(cluster: string | null): readonly [suffix: string, engine: string] {
  return cluster === null ? ["", ""] : ["_local", "Replicated"];
}

/** Creates the table of ids, on one node or on each node of a cluster. */
export function createStoredIdsSql(cluster: string | null): string {
  const [local, replicated] = namesOf(cluster);
  return `CREATE TABLE IF NOT EXISTS ${STORED_IDS}${local}${onCluster(cluster)} (event_id String EPHEMERAL,
       id FixedString(16) DEFAULT ${idBitsSql("event_id")},
       org_id LowCardinality(String), received_at ${INSTANT}, is_public UInt8, ${EARLINESS})
     ENGINE = ${replicated}ReplacingMergeTree(earliness) PARTITION BY toYYYYMM(received_at)
     ORDER BY (id, org_id, is_public) SETTINGS ${SYNCED}, index_granularity = 1024`;
}

/** The columns of a copied id, selected from `event_ids`. */
export const COPIED_IDS = `${idBitsSql("event_id")} AS id, org_id, received_at, is_public`;

/** Removes the table of ids as text and the tables of its copy. It is safe to interrupt and to run again. */
export async function dropEventIds(engine: EngineClient, cluster: string | null): Promise<void> {
  const on = onCluster(cluster);
  const drop = (table: string) =>
    engine.command(`DROP TABLE IF EXISTS ${table}${on} SETTINGS max_table_size_to_drop = 0`);
  // From here on, processes of an earlier version fail, and the queue keeps their events for newer ones.
  await drop("event_ids");
  if (cluster !== null) await drop("event_ids_local");
  await engine.command(`DROP VIEW IF EXISTS ${VIEW}${on}`);
  await drop(COPY);
  if (cluster !== null) await drop(`${COPY}_local`);
}

/**
 * Which tables have the ids. `event_ids`: it is read and written, and a view fills `stored_ids`. `both`: `stored_ids` is read, but
 * writes go to `event_ids`, which processes of an earlier version read. `stored_ids`: `event_ids` has been dropped.
 */
export type IdPlace = "event_ids" | "both" | "stored_ids";

/** Returns which tables have the ids. */
export async function findIdPlace(engine: EngineClient): Promise<IdPlace> {
  const [found] = await engine.rows<[number]>(
    "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'event_ids'",
    {},
  );
  if (found?.[0] === 0) return "stored_ids";
  return (await loadCopyState(engine)).complete === null ? "event_ids" : "both";
}

/** How far the copy is, by phase; null before its first row. */
export interface CopyState {
  readonly begun: number | null;
  readonly copied: number | null;
  readonly complete: number | null;
  readonly again: number | null;
}

/** Reads how far the copy is. */
export async function loadCopyState(engine: EngineClient): Promise<CopyState> {
  const rows = await engine.rows<[keyof CopyState, number]>(
    `SELECT phase, max(at) FROM ${COPY} GROUP BY phase`,
    {},
  );
  const at = new Map(rows);
  const of = (phase: keyof CopyState) => at.get(phase) ?? null;
  return { begun: of("begun"), copied: of("copied"), complete: of("complete"), again: of("again") };
}

/** Records that a phase has reached an instant. */
export function noteCopy(engine: EngineClient, phase: keyof CopyState, at: number): Promise<void> {
  return engine.insert(COPY, ["phase", "at"], [`["${phase}", ${at}]\n`]);
}
