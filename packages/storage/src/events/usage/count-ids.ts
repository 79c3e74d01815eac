import {
  DAY_MS,
  type Day,
  type EventStore,
  endOfMonth,
  monthOf,
  startOfMonth,
  type UsageMonth,
} from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";

type IdCounts = Pick<EventStore, "countReceived" | "countPublicByDay" | "countByDay">;

/** From an instant (inclusive) to another one (exclusive), epoch milliseconds. */
interface Range {
  readonly from: number;
  readonly until: number;
}

/**
 * How far before a range its counts start to read. Two processes that append an event at the same time both write its id. Until a merge,
 * FINAL must leave out the later row, so it must have read the earlier one. Rows in two different months never merge.
 */
const TWIN_MS = 7 * DAY_MS;
/** Such rows are this close to the first of a month: the longest time that the earlier event may have waited to be stored. */
const TWIN_AT_EDGE_MS = DAY_MS;

const BOUNDS = `received_at >= fromUnixTimestamp64Milli({since: Int64})
       AND received_at < fromUnixTimestamp64Milli({until: Int64})`;
const IN_RANGE = "received_at >= fromUnixTimestamp64Milli({from: Int64})";

/**
 * Creates the counts over ids. Ids of all orgs are in one order, so counting one org reads a month of all orgs: several are counted
 * at once. PREWHERE removes other rows before FINAL compares any.
 */
export function createIdCounts(placed: () => Promise<EngineClient>, place: () => Promise<IdPlace>): IdCounts {
  return {
    async countReceived(orgIds, month) {
      const engine = await placed();
      const counted =
        (await place()) === "event_ids"
          ? await countText(engine, orgIds, month)
          : await countBits(engine, orgIds, month);
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

type Counts = ReadonlyMap<string, number>;

/** Counts a month in `event_ids`, the table from before step 7. */
async function countText(
  engine: EngineClient,
  orgIds: readonly string[],
  month: UsageMonth,
): Promise<Counts> {
  const range = { from: startOfMonth(month), until: endOfMonth(month) };
  const rows = await engine.rows<[string, number]>(
    `SELECT org_id, countIf(${IN_RANGE}) FROM event_ids FINAL
     PREWHERE org_id IN {orgIds: Array(String)} AND ${BOUNDS} GROUP BY org_id`,
    { ...range, since: range.from - TWIN_MS, orgIds },
  );
  return new Map(rows);
}

/** Counts the rows of a month, which is one partition, except those with a twin in the previous month. */
async function countBits(
  engine: EngineClient,
  orgIds: readonly string[],
  month: UsageMonth,
): Promise<Counts> {
  const from = startOfMonth(month);
  const params = {
    orgIds,
    month: partitionOf(month),
    before: partitionOf(monthOf(from - 1)),
    ...{ since: from - TWIN_AT_EDGE_MS, until: from + TWIN_AT_EDGE_MS },
  };
  const [all, twins] = await Promise.all([
    engine.rows<[string, number]>(
      `SELECT org_id, count() FROM stored_ids FINAL PREWHERE org_id IN {orgIds: Array(String)}
       WHERE _partition_id = {month: String} GROUP BY org_id`,
      params,
      // Parts of a month that do not overlap, such as those of time-ordered ids, are counted without merging.
      { do_not_merge_across_partitions_select_final: 1 },
    ),
    engine.rows<[string, number]>(
      `SELECT org_id, uniqExact(id, is_public) FROM stored_ids
       PREWHERE received_at < fromUnixTimestamp64Milli({until: Int64})
       WHERE _partition_id = {month: String} AND org_id IN {orgIds: Array(String)}
         AND (org_id, id, is_public) GLOBAL IN (
           SELECT org_id, id, is_public FROM stored_ids
           PREWHERE received_at >= fromUnixTimestamp64Milli({since: Int64})
           WHERE _partition_id = {before: String} AND org_id IN {orgIds: Array(String)})
       GROUP BY org_id`,
      params,
    ),
  ]);
  const twinsOf = new Map(twins);
  return new Map(all.map(([orgId, rows]) => [orgId, rows - (twinsOf.get(orgId) ?? 0)]));
}

/** The partition of a month of receipt. */
function partitionOf(month: UsageMonth): string {
  return month.replace("-", "");
}

/** Returns where the ids of a range are. With FINAL, the engine skips other months only if the query names the months. */
function idsIn(place: IdPlace, range: Range) {
  const params = { ...range, since: range.from - TWIN_MS };
  if (place === "event_ids") return { table: "event_ids", inMonths: "", params };
  const months = monthsIn(params.since, range.until).map(partitionOf);
  return {
    table: "stored_ids",
    inMonths: "WHERE _partition_id IN {months: Array(String)}",
    params: { ...params, months },
  };
}

/** Lists the months that overlap a range. */
function monthsIn(from: number, until: number): readonly UsageMonth[] {
  const months: UsageMonth[] = [];
  for (let at = from; at < until; at = endOfMonth(monthOf(at))) months.push(monthOf(at));
  return months;
}
