import { DAY_MS, type Day, type EventStore, endOfMonth, monthOf, startOfMonth } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";

type IdCounts = Pick<EventStore, "countReceived" | "countPublicByDay" | "countByDay">;

/** From an instant to before another one, epoch milliseconds. */
interface Range {
  readonly from: number;
  readonly until: number;
}

/**
 * How far before a range its counts read on. Two processes that append an event at the same time both write its id, and only until a merge
 * FINAL has to leave the later row out: it must have read the earlier one. If they are in two months, they never merge.
 */
const TWIN_MS = 7 * DAY_MS;

const BOUNDS = `received_at >= fromUnixTimestamp64Milli({since: Int64})
       AND received_at < fromUnixTimestamp64Milli({until: Int64})`;
const IN_RANGE = "received_at >= fromUnixTimestamp64Milli({from: Int64})";

/**
 * Makes the counts over the ids. A count for one org reads a month of all orgs, whose ids are in one order: several orgs are counted at once.
 * PREWHERE leaves the other rows out before FINAL compares any.
 */
export function createIdCounts(placed: () => Promise<EngineClient>, place: () => Promise<IdPlace>): IdCounts {
  return {
    async countReceived(orgIds, month) {
      const range = { from: startOfMonth(month), until: endOfMonth(month) };
      const { table, inMonths, params } = idsIn(await place(), range);
      const rows = await (await placed()).rows<[string, number]>(
        `SELECT org_id, countIf(${IN_RANGE}) FROM ${table} FINAL
         PREWHERE org_id IN {orgIds: Array(String)} AND ${BOUNDS} ${inMonths} GROUP BY org_id`,
        { ...params, orgIds },
      );
      const counted = new Map(rows);
      return orgIds.map((orgId) => counted.get(orgId) ?? 0);
    },
    async countPublicByDay(orgId, range) {
      const { table, inMonths, params } = idsIn(await place(), range);
      const rows = await (await placed()).rows<[Day, number]>(
        `SELECT toDate(received_at) AS day, countIf(${IN_RANGE}) AS events FROM ${table} FINAL
         PREWHERE org_id = {orgId: String} AND is_public = 1 AND ${BOUNDS} ${inMonths}
         GROUP BY day HAVING events > 0 ORDER BY day`,
        { ...params, orgId },
      );
      return new Map(rows);
    },
    async countByDay(range) {
      const { table } = idsIn(await place(), range);
      const rows = await (await placed()).rows<[Day, number]>(
        // One pass over a column with 6 bytes per event. FINAL would take up to 15 times as long.
        `SELECT toDate(received_at) AS day, count() FROM ${table} WHERE ${BOUNDS} GROUP BY day ORDER BY day`,
        { until: range.until, since: range.from },
      );
      return new Map(rows);
    },
  };
}

/** Returns where the ids of a range are. With FINAL, the engine passes over other months only when they are named. */
function idsIn(place: IdPlace, range: Range) {
  const params = { ...range, since: range.from - TWIN_MS };
  if (place === "event_ids") return { table: "event_ids", inMonths: "", params };
  const months = monthsIn(params.since, range.until).map((month) => month.replace("-", ""));
  return {
    table: "stored_ids",
    inMonths: "WHERE _partition_id IN {months: Array(String)}",
    params: { ...params, months },
  };
}

/** Lists the months that a range touches. */
function monthsIn(from: number, until: number): readonly string[] {
  const months: string[] = [];
  for (let at = from; at < until; at = endOfMonth(monthOf(at))) months.push(monthOf(at));
  return months;
}
