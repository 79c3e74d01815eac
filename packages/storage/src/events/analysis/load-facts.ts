import type { EventFacts, FactsQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import type { RowBinaryReader } from "../engine/row-binary.ts";
import { countedRows } from "../sql/conditions.ts";
import { hasCopies } from "../sql/has-copies.ts";
import type { StateReader } from "../units/unit-states.ts";
import { AttributionCounts } from "./attribution-counts.ts";
import { type EventGroup, firstExposureOf, type GroupRow, mergeGroups, readGroup } from "./event-groups.ts";
import { eventGroupsQuery } from "./facts-query.ts";
import { type GroupedUnit, groupsCodec } from "./groups-codec.ts";
import { HealthCounts } from "./health-counts.ts";
import { mergedRows } from "./merged-rows.ts";
import { ofPartSql, type Part, readPart, turnsOf } from "./parts.ts";
import { type AnalysisLimits, type Plan, runAnalysis } from "./plans.ts";

/** Loads what an experiment's events tell about their quality, how they came, and whom they count for. */
export async function loadFacts(
  engine: EventEngine,
  query: FactsQuery,
  limits: AnalysisLimits = {},
): Promise<EventFacts> {
  return runAnalysis(
    engine,
    { query, shape: query.prices, hasState: true, codec: groupsCodec },
    { run: (plan) => count(engine, query, plan), limits },
  );
}

async function count(engine: EventEngine, query: FactsQuery, plan: Plan<GroupedUnit>): Promise<EventFacts> {
  const { stored, writer, openFrom, where } = plan;
  const health = new HealthCounts(query.configuredModels);
  const attribution = new AttributionCounts();
  const { counted, params } = countedRows(query);
  const copies =
    plan.parts.length > 0 &&
    (await hasCopies(engine, {
      ...where,
      sql: `${counted} AND ${where.sql}`,
      params: { ...params, ...where.params },
    }));
  for (const part of plan.parts) {
    const ofPart = { ...where, sql: `${where.sql} AND ${ofPartSql(part)}` };
    const groups = eventGroupsQuery(query, { where: ofPart, openFrom, hasCopies: copies });
    const rows = await readPart(engine, part, groups);
    for await (const { hash, closed, whole } of groupedUnits({ rows, stored, part })) {
      const first = firstExposureOf(whole);
      health.add(first, whole);
      attribution.add(first, whole);
      if (closed.length > 0) writer?.add({ hash, groups: closed });
      await writer?.flush();
    }
  }
  await plan.commit("");
  return {
    health: health.finish(),
    attribution: { ...attribution.finish(), supersededIds: await countSuperseded(engine, query) },
  };
}

async function countSuperseded(
  engine: EventEngine,
  { orgId, experimentId }: Pick<FactsQuery, "orgId" | "experimentId">,
): Promise<number> {
  const [row] = await engine.rows<[number]>(
    `SELECT uniqExact(event_id) FROM superseded_ids
     WHERE org_id = {org_id: String} AND experiment_id = {experiment_id: String}`,
    { org_id: orgId, experiment_id: experimentId },
  );
  return row![0];
}

interface GroupParts {
  /** Rows of `eventGroupsQuery`. */
  readonly rows: RowBinaryReader;
  readonly stored: StateReader<GroupedUnit> | null;
  readonly part: Part;
}

interface MergedGroups {
  readonly hash: bigint;
  /** Those of the unit's events that are not open. */
  readonly closed: readonly EventGroup[];
  readonly whole: readonly EventGroup[];
}

/** Merges a part's rows with the stored units, in the order of their hashes. */
async function* groupedUnits(parts: GroupParts): AsyncGenerator<MergedGroups> {
  const { nextUnit, nextRow } = mergedRows({ ...parts, read: readGroup });
  const turnOf = turnsOf(parts.rows);
  for (let unit = await nextUnit(); unit !== null; unit = await nextUnit()) {
    const [open, more]: [GroupRow[], GroupRow[]] = [[], []];
    for (let row = nextRow(); row !== null; row = nextRow()) (row.isOpen ? open : more).push(row);
    const closed = mergeGroups(unit.known?.groups ?? [], more);
    yield { hash: unit.hash, closed, whole: open.length === 0 ? closed : mergeGroups(closed, open) };
    const turn = turnOf();
    if (turn !== null) await turn;
  }
}
