import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnalysisQuery, ArmSnapshot } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import { addRow, newUnit, type Unit } from "../units/unit.ts";
import { unitCodec } from "../units/unit-codec.ts";
import { StateUnusable } from "../units/unit-states.ts";
import { userRowReader } from "../units/user-row.ts";
import { ArmTotals } from "./arm-totals.ts";
import { ALL_EVENTS, closedBefore } from "./closed-events.ts";
import { covariateSources } from "./covariates.ts";
import { preparePast } from "./load-past.ts";
import { isCost, type QueryColumns, queryColumns } from "./metric-columns.ts";
import { HASH, ofPartSql, readPart, WHOLE } from "./parts.ts";
import { type AnalysisLimits, type Plan, runAnalysis } from "./plans.ts";
import { type MergedUnit, unitBatches } from "./unit-batches.ts";
import { usersQuery } from "./users-query.ts";

/** Units whose events are read again, one batch's after another: with more, all events are read instead. */
const MOST_STALE = 2_000;

/** An analysis and the columns that it reads. */
interface Arms {
  readonly query: AnalysisQuery;
  readonly used: QueryColumns;
}

/**
 * Loads the data of one analysis. The engine groups the events by user; what is counted and added up over the users is done here, in
 * the order of the users' hashes. So a rerun gives the same bits, whatever parts the table has, on whatever shards they are, and from
 * whatever state it begins.
 */
export async function loadArmSnapshot(
  engine: EventEngine,
  query: AnalysisQuery,
  limits: AnalysisLimits = {},
): Promise<ArmSnapshot> {
  const used = queryColumns(query);
  const pastSources = covariateSources(used).map(({ index }) => index);
  const shape = [
    used.sources,
    used.values.map(({ source, windowMs, isPerCall }) => [source, windowMs, isPerCall]),
    used.sources.some(isCost) ? query.prices : [],
    pastSources,
  ];
  // A state has no user ids, and is of the experiment's exposures.
  const hasState = query.sample?.withUserIds !== true && query.exposures === undefined;
  return runAnalysis(
    engine,
    { query, shape, hasState, codec: unitCodec(used.values, pastSources) },
    { run: (plan) => addUp(engine, { query, used }, plan), limits },
  );
}

async function addUp(engine: EventEngine, { query, used }: Arms, plan: Plan<Unit>): Promise<ArmSnapshot> {
  const { stored, writer, openFrom, where } = plan;
  const arms = new ArmTotals(query, used);
  const past = await preparePast(engine, { query, used }, plan);
  let stale = 0;
  for (const part of plan.parts) {
    const ofPart = { ...where, sql: `${where.sql} AND ${ofPartSql(part)}` };
    const [rows, completePast] = await Promise.all([
      readPart(engine, part, usersQuery(query, { used, where: ofPart, openFrom }), "hash, flags"),
      past.load(part),
    ]);
    const parts = { rows, sources: used.sources.length, windows: used.values, stored, part };
    for await (const batch of unitBatches(parts)) {
      stale += batch.filter(({ isStale }) => isStale).length;
      if (stale > MOST_STALE) throw new StateUnusable("Too many units have an earlier exposure.");
      for (const { whole, closed } of await refreshed(engine, { query, used }, { batch, openFrom })) {
        if (whole !== null) {
          completePast(whole);
          arms.add(whole);
          if (closed !== null) closed.past = whole.past;
        }
        if (closed !== null) writer?.add(closed);
      }
      await writer?.flush();
      await nextTurn();
    }
  }
  await plan.commit(past.basis);
  return arms.snapshot();
}

interface Batch {
  readonly batch: readonly MergedUnit[];
  readonly openFrom: number | null;
}

/** Reads all events of the stale units of a batch. */
async function refreshed(
  engine: EventEngine,
  arms: Arms,
  { batch, openFrom }: Batch,
): Promise<readonly MergedUnit[]> {
  const hashes = batch.filter(({ isStale }) => isStale).map(({ hash }) => hash);
  if (hashes.length === 0) return batch;
  const whole = await loadUnits(engine, arms, { hashes, where: ALL_EVENTS });
  const closed =
    openFrom === null ? whole : await loadUnits(engine, arms, { hashes, where: closedBefore(openFrom) });
  return batch.map((unit) =>
    unit.isStale
      ? { ...unit, whole: whole.get(unit.hash) ?? null, closed: closed.get(unit.hash) ?? null }
      : unit,
  );
}

async function loadUnits(
  engine: EventEngine,
  { query, used }: Arms,
  { hashes, where }: { readonly hashes: readonly bigint[]; readonly where: SelectedEvents },
): Promise<ReadonlyMap<bigint, Unit>> {
  const ofUnits = {
    ...where,
    sql: `${where.sql} AND ${HASH} IN {hashes: Array(UInt64)}`,
    params: { ...where.params, hashes },
  };
  const rows = await readPart(engine, WHOLE, usersQuery(query, { used, where: ofUnits, openFrom: null }));
  const read = userRowReader(used.sources.length);
  const units = new Map<bigint, Unit>();
  while (!rows.isAtEnd()) {
    const row = read(rows);
    const unit = newUnit(row, used.values);
    addRow(unit, row, used.values);
    units.set(row.hash, unit);
  }
  return units;
}
