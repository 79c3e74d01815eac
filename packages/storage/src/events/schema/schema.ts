import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";
import { UNIT_DAY_COLUMNS } from "../units/unit-days.ts";
import { ANALYSIS_COLUMNS, addColumnsSql, analysisViewSql, defined, RAW_COLUMNS } from "./event-columns.ts";
import { classedIdsSql, createEventIdsSql, createStoredIdsSql, storedIdsStep } from "./id-tables.ts";
import { DURABLE, type Step, SYNCED, syncedSql } from "./statements.ts";

export const BY_USER = "ORDER BY (org_id, experiment_id, user_id, event_id)";

/** Ids that senders of both classes used, with the experiment of the event that does not count. */
export const SUPERSEDED_COLUMNS = "org_id String, event_id String, experiment_id String";
export const SUPERSEDED_ORDER = "ORDER BY (org_id, event_id, experiment_id)";

export const CELL_ORDER = "ORDER BY (org_id, day, fold, type, business_metric, unit_id)";

/** Which fold of a day is read, and what the log contained when the fold was computed. */
export const FOLD_COLUMNS = "org_id String, day Date, fold UInt64, content String";
export const FOLD_ORDER = "ORDER BY (org_id, day)";

/** The states of experiments' units (`unit-states.ts`): chunks of units, and a last row that marks a state as complete. */
export const STATE_COLUMNS = `org_id String, experiment_id String, shape String, fold UInt64, chunk UInt32, units String,
  closed_before Int64, content String, basis String, folded_on Date DEFAULT today()`;
const STATE_DAYS_KEPT = 3;
/** Every second night writes a whole new state, and the engine drops the states of earlier days. */
export const STATE_STORAGE = `PARTITION BY folded_on ORDER BY (org_id, experiment_id, shape, fold, chunk)
     TTL folded_on + INTERVAL ${STATE_DAYS_KEPT} DAY
     SETTINGS ${SYNCED}, ttl_only_drop_parts = 1`;

/** The tables whose parts step 5 syncs. Later tables are created with this setting. */
export const TABLES_OF_STEP_5 = [
  "raw_events",
  "analysis",
  "event_ids",
  "superseded_ids",
  "unit_days",
  "day_folds",
  "schema_version",
] as const;

/** The tables that contain rows. */
export const STORED_TABLES = [
  ...TABLES_OF_STEP_5.filter((table) => table !== "event_ids"),
  "stored_ids",
  "unit_states",
];

/**
 * Lists the steps of the schema on one node, oldest first (`cluster-schema.ts` has a cluster's). Never change a released
 * step. They create tables with the current columns; `add-columns.ts` adds new columns to existing tables.
 *
 * - `raw_events`: the raw log with texts; retention deletes its old days. Partitioned by the day of receipt, so that the
 *   nightly sweep touches only days that expire.
 * - `analysis`: the log without texts, filled from `raw_events` within the same insert. It outlives the raw log and has no
 *   partitions, because nothing is ever dropped from it by time.
 * - `stored_ids`: ids of stored events, written last, so they mark an append as complete. Sorted by bits, partitioned by month of
 *   receipt. Merges keep an id's earliest row in a month. Before step 7, the ids were in `event_ids`; `copy-ids.ts` copies and drops it.
 * - `superseded_ids`: ids that both a publishable key and a trusted sender used.
 * - `unit_days`: sums of the analysis log per unit and day; `day_folds`: which of its rows are read (`fold-days.ts`).
 * - `unit_states`: the values of an experiment's units up to a midnight.
 */
export const SCHEMA_STEPS: readonly Step[] = [
  twoLogsStep(),
  rawEventsStep(),
  trustClassesStep(),
  unitDaysStep(),
  TABLES_OF_STEP_5.map(syncedSql),
  unitStatesStep(),
  storedIdsStep(null),
];

/**
 * Creates the tables of a new store on one node, in their state after the last step. Running all steps takes three times as
 * long, because they also create, change and drop other tables.
 */
export const NEW_TABLES: Step = [
  createAnalysisSql(SYNCED),
  ...createRawEventsSql(SYNCED),
  createSupersededSql(SYNCED),
  ...unitDaysStep(SYNCED),
  ...unitStatesStep(),
  createStoredIdsSql(null),
  syncedSql("schema_version"),
];

/** They start empty: the first night of an experiment writes its state. */
function unitStatesStep(): Step {
  return [`CREATE TABLE IF NOT EXISTS unit_states (${STATE_COLUMNS}) ENGINE = MergeTree ${STATE_STORAGE}`];
}

/** The cells start empty: the first analysis that needs a day folds it. */
function unitDaysStep(settings = DURABLE): Step {
  return [
    `CREATE TABLE IF NOT EXISTS unit_days (${defined(UNIT_DAY_COLUMNS)}) ENGINE = MergeTree ${CELL_ORDER} SETTINGS ${settings}`,
    `CREATE TABLE IF NOT EXISTS day_folds (${FOLD_COLUMNS})
     ENGINE = ReplacingMergeTree(fold) ${FOLD_ORDER} SETTINGS ${settings}`,
  ];
}

/** Each class of senders has its own ids, so a public id and a trusted id may be equal. */
function trustClassesStep(): Step {
  return [classedIdsSql("event_ids"), createSupersededSql()];
}

function createSupersededSql(settings = DURABLE): string {
  return `CREATE TABLE IF NOT EXISTS superseded_ids (${SUPERSEDED_COLUMNS})
     ENGINE = ReplacingMergeTree ${SUPERSEDED_ORDER} SETTINGS ${settings}`;
}

function createAnalysisSql(settings = DURABLE): string {
  return `CREATE TABLE IF NOT EXISTS analysis (${defined(ANALYSIS_COLUMNS)})
     ENGINE = ReplacingMergeTree(received_at) ${BY_USER} SETTINGS ${settings}`;
}

function twoLogsStep(): Step {
  return [
    firstLogSql("events"),
    createAnalysisSql(),
    `CREATE MATERIALIZED VIEW IF NOT EXISTS events_to_analysis TO analysis AS ${analysisViewSql("events")}`,
    createEventIdsSql(null),
  ];
}

/** The raw log before step 2: partitioned by month of occurrence, so old timestamps spread over hundreds of parts. */
function firstLogSql(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name} (${defined(RAW_COLUMNS)})
    ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(occurred_at) ${BY_USER} SETTINGS ${DURABLE}`;
}

/**
 * Copies the raw log `events` into `raw_events`. The copy passes through the new view, which fills the new columns of
 * `analysis`: among rows with equal key and version, the last inserted row stays. The old log is renamed before it is
 * read, so that an older process that is still running fails and its queue keeps the events. If the step is repeated
 * after it dropped the old log, it copies an empty one.
 */
function rawEventsStep(): Step {
  return [
    addColumnsSql("analysis", ANALYSIS_COLUMNS),
    ...createRawEventsSql(),
    `DROP VIEW IF EXISTS events_to_analysis`,
    `RENAME TABLE IF EXISTS events TO old_events`,
    firstLogSql("old_events"),
    copyOldEvents,
    `DROP TABLE IF EXISTS old_events SETTINGS max_table_size_to_drop = 0`,
  ];
}

/** The raw log, and the view that fills the analysis log. */
function createRawEventsSql(settings = DURABLE): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS raw_events (${defined(RAW_COLUMNS)})
     ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMMDD(received_at) ${BY_USER} SETTINGS ${settings}`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS raw_events_to_analysis TO analysis AS
     ${analysisViewSql("raw_events")}`,
  ];
}

/** Copies month by month, so that each statement finishes within the time limit of a request. */
async function copyOldEvents(engine: EngineClient): Promise<void> {
  const found = await engine.rows<[string]>(
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'old_events'",
    {},
  );
  const columns = found.join(", ");
  const months = await engine.rows<[string]>("SELECT DISTINCT _partition_id FROM old_events", {});
  for (const [month] of months) {
    await engine.command(
      `INSERT INTO raw_events (${columns}) SELECT ${columns} FROM old_events WHERE _partition_id = {month: String}`,
      { month },
      COPY_SETTINGS,
    );
  }
}

/** Writing a block of the usual 256 MB to the partitions of many days needs more memory than the embedded engine has. */
const COPY_SETTINGS: ClickHouseSettings = {
  max_partitions_per_insert_block: "0",
  max_threads: 1,
  min_insert_block_size_bytes: String(64 * 1024 * 1024),
};
