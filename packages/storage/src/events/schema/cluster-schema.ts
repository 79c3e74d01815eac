import { onCluster } from "../engine/event-engine.ts";
import { UNIT_DAY_COLUMNS } from "../units/unit-days.ts";
import { ANALYSIS_COLUMNS, analysisViewSql, defined, RAW_COLUMNS } from "./event-columns.ts";
import { classedIdsSql, createEventIdsSql, SHARD_OF_EVENT_IDS, storedIdsStep } from "./id-tables.ts";
import {
  BY_USER,
  CELL_ORDER,
  FOLD_COLUMNS,
  FOLD_ORDER,
  STATE_COLUMNS,
  STATE_STORAGE,
  SUPERSEDED_COLUMNS,
  SUPERSEDED_ORDER,
  TABLES_OF_STEP_5,
} from "./schema.ts";
import { DURABLE, distributedSql, type Step, syncedSql } from "./statements.ts";

/**
 * Lists the steps of the schema on a cluster. They have the same numbers as on one node (`SCHEMA_STEPS`); the first is empty.
 * The rows are in replicated `…_local` tables, where the materialized view keeps an event's analysis row on the shard of
 * its raw row. The plain names are Distributed tables. All events of an org's user are on one shard.
 */
export function clusterSteps(cluster: string): readonly Step[] {
  const on = onCluster(cluster);
  const byUser = "cityHash64(org_id, user_id)";
  return [
    [],
    [
      `CREATE TABLE IF NOT EXISTS analysis_local${on} (${defined(ANALYSIS_COLUMNS)})
       ENGINE = ReplicatedReplacingMergeTree(received_at) ${BY_USER} SETTINGS ${DURABLE}`,
      `CREATE TABLE IF NOT EXISTS raw_events_local${on} (${defined(RAW_COLUMNS)})
       ENGINE = ReplicatedReplacingMergeTree(received_at) PARTITION BY toYYYYMMDD(received_at) ${BY_USER}
       SETTINGS ${DURABLE}`,
      `CREATE MATERIALIZED VIEW IF NOT EXISTS raw_events_to_analysis${on} TO analysis_local AS
       ${analysisViewSql("raw_events_local")}`,
      createEventIdsSql(cluster),
      distributedSql(cluster, "analysis", byUser),
      distributedSql(cluster, "raw_events", byUser),
      distributedSql(cluster, "event_ids", SHARD_OF_EVENT_IDS),
    ],
    [
      classedIdsSql(`event_ids_local${on}`),
      `ALTER TABLE event_ids${on} ADD COLUMN IF NOT EXISTS is_public UInt8`,
      `CREATE TABLE IF NOT EXISTS superseded_ids_local${on} (${SUPERSEDED_COLUMNS})
       ENGINE = ReplicatedReplacingMergeTree ${SUPERSEDED_ORDER} SETTINGS ${DURABLE}`,
      distributedSql(cluster, "superseded_ids", "cityHash64(org_id, event_id)"),
    ],
    [
      `CREATE TABLE IF NOT EXISTS unit_days_local${on} (${defined(UNIT_DAY_COLUMNS)})
       ENGINE = ReplicatedMergeTree ${CELL_ORDER} SETTINGS ${DURABLE}`,
      `CREATE TABLE IF NOT EXISTS day_folds_local${on} (${FOLD_COLUMNS})
       ENGINE = ReplicatedReplacingMergeTree(fold) ${FOLD_ORDER} SETTINGS ${DURABLE}`,
      // Like a user's events: cells are folded and read on the shard that has the events.
      distributedSql(cluster, "unit_days", "cityHash64(org_id, unit_id)"),
      distributedSql(cluster, "day_folds", "cityHash64(org_id)"),
    ],
    TABLES_OF_STEP_5.map((table) => syncedSql(`${table}_local${on}`)),
    [
      `CREATE TABLE IF NOT EXISTS unit_states_local${on} (${STATE_COLUMNS})
       ENGINE = ReplicatedMergeTree ${STATE_STORAGE}`,
      distributedSql(cluster, "unit_states", "cityHash64(org_id, experiment_id)"),
    ],
    storedIdsStep(cluster),
  ];
}

/** The table with the number of completed steps, readable on every node. It is created first and marks the cluster's tables. */
export function clusterVersionTable(cluster: string): Step {
  return [
    `CREATE TABLE IF NOT EXISTS schema_version_local${onCluster(cluster)} (version UInt32)
     ENGINE = ReplicatedReplacingMergeTree ORDER BY version SETTINGS ${DURABLE}`,
    distributedSql(cluster, "schema_version", "version"),
  ];
}
