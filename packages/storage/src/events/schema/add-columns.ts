import type { EngineClient } from "../engine/engine-client.ts";
import { onCluster } from "../engine/event-engine.ts";
import { UNIT_DAY_COLUMNS } from "../units/unit-days.ts";
import {
  ANALYSIS_COLUMNS,
  addColumnsSql,
  analysisViewSql,
  type Columns,
  RAW_COLUMNS,
  TYPES,
} from "./event-columns.ts";

const VIEW = "raw_events_to_analysis";

/**
 * Adds new fields' columns and new event types to the logs of an earlier version. Existing rows have no values in new columns.
 * On a cluster, a log is the table on each shard plus the Distributed table. The analysis log is changed first and the view that
 * fills it last, so that inserts from running processes always succeed. It is safe to interrupt and to run again.
 */
export async function addMissingColumns(engine: EngineClient, cluster: string | null): Promise<void> {
  const local = cluster === null ? "" : "_local";
  const logs: readonly (readonly [name: string, columns: Columns])[] = [
    [`analysis${local}`, ANALYSIS_COLUMNS],
    ["analysis", ANALYSIS_COLUMNS],
    [`raw_events${local}`, RAW_COLUMNS],
    ["raw_events", RAW_COLUMNS],
    [`unit_days${local}`, UNIT_DAY_COLUMNS],
    ["unit_days", UNIT_DAY_COLUMNS],
  ];
  const found = await columnsByTable(engine);
  const lacks = (table: string, columns: Columns) =>
    Object.keys(columns).some((name) => !found.get(table)?.has(name));
  for (const [table, columns] of new Map(logs)) {
    const altered = `${table}${onCluster(cluster)}`;
    if (lacks(table, columns)) await engine.command(addColumnsSql(altered, columns));
    if (found.get(table)?.get("type") !== TYPES.type)
      await engine.command(`ALTER TABLE ${altered} MODIFY COLUMN type ${TYPES.type}`);
  }
  if (!lacks(VIEW, ANALYSIS_COLUMNS)) return;
  const rawEvents = `raw_events${local}`;
  await engine.command(`ALTER TABLE ${VIEW}${onCluster(cluster)} MODIFY QUERY ${analysisViewSql(rawEvents)}`);
}

/** Lists the columns of each table with their types; for the view, the columns that its query reads. */
async function columnsByTable(
  engine: EngineClient,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const rows = await engine.rows<[table: string, names: [name: string, type: string][]]>(
    `SELECT table, groupArray((name, type)) FROM system.columns
     WHERE database = currentDatabase() AND table != {view: String} GROUP BY table
     UNION ALL
     SELECT name, arrayMap(word -> (word, ''), extractAll(as_select, '\\\\w+')) FROM system.tables
     WHERE database = currentDatabase() AND name = {view: String}`,
    { view: VIEW },
  );
  return new Map(rows.map(([table, names]) => [table, new Map(names)]));
}
