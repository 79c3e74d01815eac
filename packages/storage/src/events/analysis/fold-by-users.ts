import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnalysisQuery } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { LayerReader, mergeLayers, type StateLayer, StateWriter } from "../units/unit-states.ts";
import { type AnalyzedUnit, type UnitParts, updatedUnit } from "./analyzed-unit.ts";
import { closedBefore, openSince } from "./closed-events.ts";
import { type RowsParts, readEventRows } from "./event-rows.ts";
import { mergedUnits } from "./merged-units.ts";
import { ON_ONE_THREAD, partsFor, WHOLE } from "./parts.ts";
import { mayBeOverruled, type Plan } from "./plans.ts";

/** Number of user names sampled per range to find the ranges' limits. */
const NAMES_PER_RANGE = 50;
/** Chunks of all layers that are in memory at once, unless there are more layers. */
const CHUNKS_IN_MEMORY = 32;

interface FoldParts {
  readonly query: AnalysisQuery;
  readonly parts: UnitParts;
  readonly used: RowsParts["used"];
}

/**
 * Sums up the closed events, one range of users at a time, and returns a plan that begins from the result. It returns the given plan
 * if that plan reads its events in one part, begins from a state, or stores none.
 *
 * The log is sorted by user, but the parts of a plan are ranges of hashes. To find the rows of one part, the engine must read all rows:
 * with 20 parts, 20 times. Here the rows of each user range are read once. The units of a range are stored as a layer in hash order, and
 * reading merges all layers.
 */
export async function foldByUsers(
  engine: EventEngine,
  { query, parts, used }: FoldParts,
  plan: Plan<AnalyzedUnit>,
): Promise<Plan<AnalyzedUnit>> {
  const { writer, openFrom, log, absent, eventsPerPart } = plan;
  // A conversation that several users share would be in several ranges.
  const isOfUsers = query.unit === "user" && query.sample?.withUserIds !== true;
  if (plan.stored !== null || writer === null || openFrom === null || plan.parts.length < 2 || !isOfUsers)
    return plan;
  const closed = closedBefore(openFrom);
  const layers: StateLayer[] = [];
  let [rowsRead, units] = [0, 0];
  const size = { events: log.events, eventsPerRange: eventsPerPart };
  for (const range of await userRanges(engine, query, size)) {
    const rows = await readEventRows(engine, query, {
      ...{ used, absent, part: WHOLE, withUserIds: false, isOverruled: mayBeOverruled(log) },
      where: {
        ...closed,
        sql: `${closed.sql} AND ${range.sql}`,
        params: { ...closed.params, ...range.params },
      },
    });
    const layer = new StateWriter(engine, { ...writer.stored, base: null });
    for await (const batch of mergedUnits<AnalyzedUnit>({ rows, stored: null, part: WHOLE })) {
      for (const unit of batch) layer.add(updatedUnit(unit, parts, null).whole);
      await layer.flush();
      await nextTurn();
      units += batch.length;
    }
    layers.push(await layer.finish());
    rowsRead += rows.length;
  }
  const chunksPerRead = Math.max(1, Math.floor(CHUNKS_IN_MEMORY / layers.length));
  const readers = layers.map((layer) => new LayerReader(engine, { ...writer.stored, layer, chunksPerRead }));
  return {
    ...plan,
    stored: { state: { closedBefore: openFrom, basis: "" }, units: mergeLayers(readers) },
    where: openSince(openFrom),
    parts: partsFor(Math.max(1, units, log.events - rowsRead), eventsPerPart),
  };
}

interface RangeSize {
  readonly events: number;
  readonly eventsPerRange: number;
}

/** Divides an experiment's users by name into ranges with about the same number of events. */
async function userRanges(
  engine: EventEngine,
  { orgId, experimentId }: AnalysisQuery,
  { events, eventsPerRange }: RangeSize,
): Promise<readonly BoundQuery[]> {
  const every = Math.max(1, Math.floor(eventsPerRange / NAMES_PER_RANGE));
  const names = await engine.rows<[string]>(
    engine.fromShards(
      `SELECT user_id FROM analysis WHERE ${OF_EXPERIMENT} AND _part_offset % {every: UInt64} = 0`,
      "user_id",
    ),
    { org_id: orgId, experiment_id: experimentId, every },
    ON_ONE_THREAD,
  );
  const ranges = Math.ceil(events / eventsPerRange);
  const startOf = (range: number) => names[Math.floor((range * names.length) / ranges)]?.[0] ?? "";
  // A user with many events may be the start of several ranges.
  const starts = [...new Set(["", ...Array.from({ length: ranges - 1 }, (_, i) => startOf(i + 1))])];
  return starts.map((start, i) => {
    const end = starts[i + 1];
    return {
      sql: `user_id >= {range_start: String}${end === undefined ? "" : " AND user_id < {range_end: String}"}`,
      params: { range_start: start, ...(end !== undefined && { range_end: end }) },
    };
  });
}
