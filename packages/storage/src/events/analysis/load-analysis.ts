import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnalysisQuery, ArmSnapshot, EventFacts, RunData, RunQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import { addEvents, newUnit, type Unit } from "../units/unit.ts";
import { StateUnusable } from "../units/unit-states.ts";
import {
  type AnalyzedUnit,
  analyzedCodec,
  newUnitOf,
  type UpdatedUnit,
  unitEventsOf,
  updatedUnit,
} from "./analyzed-unit.ts";
import { ArmTotals } from "./arm-totals.ts";
import { AttributionCounts } from "./attribution-counts.ts";
import { ALL_EVENTS, closedBefore } from "./closed-events.ts";
import { covariateSources } from "./covariates.ts";
import { type EventGroup, firstExposureOf } from "./event-groups.ts";
import { readEventRows } from "./event-rows.ts";
import { foldByUsers } from "./fold-by-users.ts";
import { HealthCounts } from "./health-counts.ts";
import { preparePast } from "./load-past.ts";
import { mergedUnits } from "./merged-units.ts";
import { type QueryColumns, queryColumns } from "./metric-columns.ts";
import { hashSql, WHOLE } from "./parts.ts";
import {
  type AnalysisLimits,
  mayBeOverruled,
  openLog,
  type Plan,
  runAnalysis,
  type StateForm,
} from "./plans.ts";
import { loadSampling } from "./sampling.ts";

/** Up to this many units have their events read again, batch by batch. With more, all events are read instead. */
const MOST_STALE = 2_000;

/** An analysis, the columns that it reads, and the counter of the facts, if they are requested. */
interface Reading {
  readonly query: AnalysisQuery;
  readonly used: QueryColumns;
  readonly facts: FactCounts | null;
}

/**
 * Loads the data of one analysis in one pass, and the facts about its events: their quality, how they arrived, and whom they count for.
 * The engine sends the events. They are counted and summed per user here, in the order of the users' hashes. So a rerun gives the same
 * bits, whatever the table's parts and shards are, and from whatever state it begins.
 */
export async function loadAnalysis(
  engine: EventEngine,
  { configuredModels, factsUntil, ...query }: RunQuery,
  limits: AnalysisLimits = {},
): Promise<RunData> {
  const log = await openLog(engine, query, { hasState: true, limits });
  const used = queryColumns(query, log.isSampled);
  return runAnalysis(
    engine,
    { query, log, state: stateForm(query, used) },
    {
      run: async (plan) => {
        const facts = new FactCounts(configuredModels, factsUntil);
        const [totals, supersededIds, sampling] = await Promise.all([
          addUp(engine, { query, used, facts }, plan),
          mayBeOverruled(log) ? countSuperseded(engine, query) : 0,
          used.isWeighted ? loadSampling(engine, query) : [],
        ]);
        return {
          arms: totals.snapshot(),
          facts: { ...facts.finish(supersededIds), sampling, agentRuns: totals.agentRuns() },
        };
      },
      limits,
    },
  );
}

/** How the units of an analysis are stored. */
export function stateForm({ unit, prices }: AnalysisQuery, used: QueryColumns): StateForm<AnalyzedUnit> {
  const pastSources = covariateSources(used).map(({ index }) => index);
  return {
    shape: [used.sources, used.isWeighted, windowsOf(used), prices, pastSources],
    codec: analyzedCodec({ windows: used.values, pastSources, hasUsers: unit !== "user" }),
  };
}

const windowsOf = ({ values }: QueryColumns) =>
  values.map(({ source, windowMs, isPerCall }) => [source, windowMs, isPerCall]);

/** Loads the data of one analysis from the events alone. */
export async function loadArmSnapshot(
  engine: EventEngine,
  query: AnalysisQuery,
  limits: AnalysisLimits = {},
): Promise<ArmSnapshot> {
  const log = await openLog(engine, query, { hasState: false, limits });
  const used = queryColumns(query, log.isSampled);
  const run = async (plan: Plan<AnalyzedUnit>) =>
    (await addUp(engine, { query, used, facts: null }, plan)).snapshot();
  return runAnalysis(engine, { query, log, state: null }, { run, limits });
}

async function addUp(engine: EventEngine, reading: Reading, given: Plan<AnalyzedUnit>): Promise<ArmTotals> {
  const { query, used, facts } = reading;
  const rowsQuery = { ...query, until: facts?.until ?? query.until };
  const parts = { windows: used.values, query, hasGroups: facts !== null };
  const plan = await foldByUsers(engine, { query: rowsQuery, used, parts }, given);
  const { stored, writer, openFrom, where, absent } = plan;
  const arms = new ArmTotals(query, used);
  const preparing = preparePast(engine, { query, used }, plan);
  preparing.catch(() => {}); // awaited below, unless the rows cannot be read
  const withUserIds = query.sample?.withUserIds === true;
  const isOverruled = mayBeOverruled(plan.log);
  let stale = 0;
  for (const part of plan.parts) {
    const [rows, completePast] = await Promise.all([
      readEventRows(engine, rowsQuery, { used, where, part, withUserIds, absent, isOverruled }),
      preparing.then((past) => past.load(part)),
    ]);
    for await (const batch of mergedUnits({ rows, stored: stored?.units ?? null, part })) {
      const updated = batch.map((unit) => updatedUnit(unit, parts, openFrom));
      stale += updated.filter(({ isStale }) => isStale).length;
      if (stale > MOST_STALE) throw new StateUnusable("Too many units have an earlier exposure.");
      for (const { whole, closed, isChanged } of await refreshed(engine, reading, { updated, openFrom })) {
        const hasOtherPast = completePast(whole.unit);
        arms.add(whole.unit);
        facts?.add(whole.groups);
        if (closed === null || writer === null) continue;
        if (writer.base !== null && !isChanged && !hasOtherPast) continue;
        closed.unit.past = whole.unit.past;
        writer.add(closed);
      }
      await writer?.flush();
      await nextTurn();
    }
  }
  await plan.commit((await preparing).basis);
  return arms;
}

/** Counts facts about groups of events, user by user. */
class FactCounts {
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  readonly #health: HealthCounts;
  readonly #attribution = new AttributionCounts();

  constructor(configuredModels: RunQuery["configuredModels"], until: number) {
    this.until = until;
    this.#health = new HealthCounts(configuredModels);
  }

  add(groups: readonly EventGroup[]): void {
    const first = firstExposureOf(groups);
    this.#health.add(first, groups);
    this.#attribution.add(first, groups);
  }

  finish(supersededIds: number): Omit<EventFacts, "sampling" | "agentRuns"> {
    return {
      health: this.#health.finish(),
      attribution: { ...this.#attribution.finish(), supersededIds },
    };
  }
}

async function countSuperseded(
  engine: EventEngine,
  { orgId, experimentId }: Pick<AnalysisQuery, "orgId" | "experimentId">,
): Promise<number> {
  const [row] = await engine.rows<[number]>(
    `SELECT uniqExact(event_id) FROM superseded_ids
     WHERE org_id = {org_id: String} AND experiment_id = {experiment_id: String}`,
    { org_id: orgId, experiment_id: experimentId },
  );
  return row![0];
}

interface Batch {
  readonly updated: readonly UpdatedUnit[];
  readonly openFrom: number | null;
}

/** Reads all events of a batch's stale units. Their groups do not depend on the time of the first exposure. */
async function refreshed(
  engine: EventEngine,
  reading: Reading,
  { updated, openFrom }: Batch,
): Promise<readonly UpdatedUnit[]> {
  const hashes = updated.filter(({ isStale }) => isStale).map(({ hash }) => hash);
  if (hashes.length === 0) return updated;
  const whole = await loadUnits(engine, reading, { hashes, where: ALL_EVENTS });
  const closed =
    openFrom === null ? whole : await loadUnits(engine, reading, { hashes, where: closedBefore(openFrom) });
  const anew = (known: AnalyzedUnit, units: ReadonlyMap<bigint, Unit>): AnalyzedUnit => ({
    ...known,
    unit: units.get(known.hash) ?? newUnit(known.unit, reading.used.values),
  });
  return updated.map((one) =>
    one.isStale
      ? { ...one, whole: anew(one.whole, whole), closed: one.closed && anew(one.closed, closed) }
      : one,
  );
}

async function loadUnits(
  engine: EventEngine,
  { query, used }: Reading,
  { hashes, where }: { readonly hashes: readonly bigint[]; readonly where: SelectedEvents },
): Promise<ReadonlyMap<bigint, Unit>> {
  const ofUnits = {
    ...where,
    sql: `${where.sql} AND ${hashSql(query.unit)} IN {hashes: Array(UInt64)}`,
    params: { ...where.params, hashes },
  };
  const parts = { used, where: ofUnits, part: WHOLE, withUserIds: false, absent: [], isOverruled: true };
  const rows = await readEventRows(engine, query, parts);
  const units = new Map<bigint, Unit>();
  for (const found of rows.users()) {
    const unit = newUnitOf(found, used.values);
    const events = rows.withoutCopies(found.events);
    addEvents(unit, unitEventsOf(rows, events, query), used.values);
    units.set(found.hash, unit);
  }
  return units;
}
