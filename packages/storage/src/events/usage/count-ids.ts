import { DAY_MS, type Day, type EventStore, endOfMonth, startOfMonth } from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";

type IdCounts = Pick<EventStore, "countReceived" | "countPublicByDay" | "countByDay">;

/**
 * How far before a range its counts read on. Two processes that append an event at the same time both write its id, and only until a merge
 * FINAL has to leave the later row out: it must have read the earlier one.
 */
const TWIN_MS = 7 * DAY_MS;

const BOUNDS = `received_at >= fromUnixTimestamp64Milli({since: Int64})
       AND received_at < fromUnixTimestamp64Milli({until: Int64})`;
const IN_RANGE = "received_at >= fromUnixTimestamp64Milli({from: Int64})";

/** Makes the counts over the ids. With the index of `addIdIndex` they read the ids of their range, not all that an org ever had. */
export function createIdCounts(placed: () => Promise<EngineClient>): IdCounts {
  let known: ClickHouseSettings | null = null;
  const open = async () => {
    const engine = await placed();
    known ??= await indexSettings(engine);
    return { engine, settings: known };
  };
  return {
    async countReceived(orgId, month) {
      const { engine, settings } = await open();
      const range = { from: startOfMonth(month), until: endOfMonth(month) };
      const [row] = await engine.rows<[number]>(
        `SELECT countIf(${IN_RANGE}) FROM event_ids FINAL WHERE org_id = {orgId: String} AND ${BOUNDS}`,
        { orgId, ...range, since: range.from - TWIN_MS },
        settings,
      );
      return row?.[0] ?? 0;
    },
    async countPublicByDay(orgId, range) {
      const { engine, settings } = await open();
      const rows = await engine.rows<[Day, number]>(
        `SELECT toDate(received_at) AS day, countIf(${IN_RANGE}) AS events FROM event_ids FINAL
         WHERE org_id = {orgId: String} AND is_public = 1 AND ${BOUNDS}
         GROUP BY day HAVING events > 0 ORDER BY day`,
        { orgId, ...range, since: range.from - TWIN_MS },
        settings,
      );
      return new Map(rows);
    },
    countByDay: async (range) => countByDay(await placed(), range),
  };
}

/** Counts in one pass over a column with 6 bytes per event. FINAL would take up to 15 times as long. */
async function countByDay(
  engine: EngineClient,
  range: { readonly from: number; readonly until: number },
): Promise<ReadonlyMap<Day, number>> {
  const rows = await engine.rows<[Day, number]>(
    `SELECT toDate(received_at) AS day, count() FROM event_ids WHERE ${BOUNDS} GROUP BY day ORDER BY day`,
    { until: range.until, since: range.from },
  );
  return new Map(rows);
}

/**
 * Has FINAL use the index without reading every other row of the same ids, which would be all rows: `TWIN_MS` covers those that matter.
 * Servers before 25.6 lack the second setting, and do so without it.
 */
async function indexSettings(engine: EngineClient): Promise<ClickHouseSettings> {
  const [row] = await engine.rows<[number]>(
    "SELECT count() FROM system.settings WHERE name = 'use_skip_indexes_if_final_exact_mode'",
    {},
  );
  const exact = row?.[0] === 0 ? {} : { use_skip_indexes_if_final_exact_mode: 0 };
  return { use_skip_indexes_if_final: 1, ...exact };
}
