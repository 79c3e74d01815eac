import { setImmediate as nextTurn } from "node:timers/promises";
import { type AnalysisQuery, type ArmSnapshot, DAY_MS, isOfWholeUsers } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { foldDays } from "../units/fold-days.ts";
import { addRow, newUnit, type Unit } from "../units/unit.ts";
import { LAYOUT } from "../units/unit-codec.ts";
import {
  findState,
  type StateKey,
  StateReader,
  StateUnusable,
  StateWriter,
  type StoredState,
  shapeOf,
} from "../units/unit-states.ts";
import { userRowReader } from "../units/user-row.ts";
import { ArmTotals } from "./arm-totals.ts";
import { type ClosedEvents, closedBefore, loadClosed, openSince } from "./closed-events.ts";
import { covariateReader, covariateSources, covariatesQuery } from "./covariates.ts";
import { isCost, type QueryColumns, queryColumns } from "./metric-columns.ts";
import { divide, HASH, ofPartSql, type Parts, partsFor, readPart, WHOLE } from "./parts.ts";
import { type MergedUnit, unitBatches } from "./unit-batches.ts";
import { usersQuery } from "./users-query.ts";

/** Limits that tests lower. */
export interface AnalysisLimits {
  /** Events that are read at once. */
  readonly eventsPerPart?: number;
  /** An experiment with fewer events is analysed from the events alone: that takes no longer than to ask for its state. */
  readonly eventsForState?: number;
}

const EVENTS_FOR_STATE = 100_000;
/** Units whose events are read again, one batch's after another: with more, all events are read instead. */
const MOST_STALE = 2_000;

/** From what an analysis begins, and what it leaves for the next one. */
interface Plan {
  /** The units by the events of earlier days; null: all events are read. */
  readonly state: StoredState | null;
  /** The state to store; null: none. */
  readonly next: Pick<StoredState, "closedBefore" | "content"> | null;
  /** Events to read. */
  readonly events: number;
}

/**
 * Loads the data of one analysis. The engine groups the events by user; what is counted and added up over the users is done here, in
 * the order of the users' hashes. So a rerun gives the same bits, whatever parts the table has and on whatever shards they are.
 *
 * Of a large experiment, a night reads only the events that came since the state it had the night before (`unit-states.ts`), and leaves
 * one for the next. A state is of the events that occurred and were received before a midnight. If any of them came or went since, it is
 * made anew from all events, with the same bits.
 */
export async function loadArmSnapshot(
  engine: EventEngine,
  query: AnalysisQuery,
  limits: AnalysisLimits = {},
): Promise<ArmSnapshot> {
  const used = queryColumns(query);
  // All of the experiment's events: to tell those that count would take longer.
  const all = { sql: OF_EXPERIMENT, params: { org_id: query.orgId, experiment_id: query.experimentId } };
  const found = await divide(engine, all, limits.eventsPerPart);
  const analysis = new Analysis(engine, query, { used, found, eventsPerPart: limits.eventsPerPart });
  const plans =
    found.events < (limits.eventsForState ?? EVENTS_FOR_STATE) || query.sample?.withUserIds === true
      ? []
      : await analysis.plans();
  for (const plan of plans) {
    try {
      return await analysis.run(plan);
    } catch (error) {
      if (!(error instanceof StateUnusable)) throw error;
    }
  }
  return analysis.run({ state: null, next: null, events: found.events });
}

class Analysis {
  readonly #engine: EventEngine;
  readonly #query: AnalysisQuery;
  readonly #used: QueryColumns;
  readonly #found: Parts;
  readonly #eventsPerPart: number | undefined;
  readonly #key: StateKey;

  constructor(
    engine: EventEngine,
    query: AnalysisQuery,
    {
      used,
      found,
      eventsPerPart,
    }: { readonly used: QueryColumns; readonly found: Parts; readonly eventsPerPart: number | undefined },
  ) {
    this.#engine = engine;
    this.#query = query;
    this.#used = used;
    this.#found = found;
    this.#eventsPerPart = eventsPerPart;
    const { sources, values } = used;
    const prices = sources.some(isCost) ? query.prices : [];
    const shape = shapeOf([LAYOUT, sources, values.map(windowOf), query.exclusions, prices]);
    this.#key = { orgId: query.orgId, experimentId: query.experimentId, shape };
  }

  /** Returns from what the analysis can begin, best first. */
  async plans(): Promise<readonly Plan[]> {
    const { until } = this.#query;
    const isNight = this.#query.sample !== null && until % DAY_MS === 0 && until <= Date.now();
    const state = await findState(this.#engine, this.#key, until);
    const instants = [...(state === null ? [] : [state.closedBefore]), ...(isNight ? [until] : [])];
    if (instants.length === 0) return [];
    const closed = await loadClosed(this.#engine, this.#query, instants);
    const next = (of: ClosedEvents) => ({ closedBefore: until, content: of.content });
    const tonight = isNight ? closed.at(-1)! : null;
    const { events } = this.#found;
    const plans: Plan[] = [];
    if (state !== null && state.content === closed[0]!.content)
      plans.push({
        state,
        next: tonight === null || state.closedBefore === until ? null : next(tonight),
        events: events - closed[0]!.events,
      });
    if (tonight !== null) plans.push({ state: null, next: next(tonight), events });
    return plans;
  }

  async run({ state, next, events }: Plan): Promise<ArmSnapshot> {
    const [engine, query, used] = [this.#engine, this.#query, this.#used];
    const { key, windows } = { key: this.#key, windows: used.values };
    const arms = new ArmTotals(query, used);
    const stored = state === null ? null : new StateReader(engine, { key, state, windows });
    const writer = next === null ? null : new StateWriter(engine, { key, windows });
    const openFrom = next?.closedBefore ?? null;
    const where = state === null ? { sql: "1", params: {} } : openSince(state.closedBefore);
    const loadPast = await this.#pastLoader();
    let stale = 0;
    // With a state, there are units even if no event is new.
    const parts = partsFor(state === null ? events : Math.max(1, events), this.#eventsPerPart);
    for (const part of parts) {
      const ofPart = { ...where, sql: `${where.sql} AND ${ofPartSql(part)}` };
      const [rows, covariates] = await Promise.all([
        readPart(engine, part, usersQuery(query, { used, where: ofPart, openFrom }), "hash, flags"),
        loadPast(part),
      ]);
      for await (const batch of unitBatches({ rows, sources: used.sources.length, windows, stored, part })) {
        stale += batch.filter(({ isStale }) => isStale).length;
        if (stale > MOST_STALE && (state !== null || next !== null))
          throw new StateUnusable("Too many units have an earlier exposure.");
        for (const { whole, closed } of await this.#current(batch, next?.closedBefore ?? null)) {
          if (whole !== null) arms.add(whole, covariates);
          if (closed !== null) writer?.add(closed);
        }
        await writer?.flush();
        await nextTurn();
      }
    }
    await writer?.commit(next!);
    return arms.snapshot();
  }

  /** Returns a function that loads the covariates of a part's users. */
  async #pastLoader() {
    const [engine, query, used] = [this.#engine, this.#query, this.#used];
    const sources = query.sample === null ? [] : covariateSources(used);
    if (sources.length === 0 || this.#found.events === 0) return async () => null;
    // Cells are of a user: whole users that are taken out have no exposure to join them with.
    const isFolded = query.exclusions.every(isOfWholeUsers);
    const folded = isFolded ? await foldDays(engine, query.orgId, query.until) : null;
    const { firstAt } = this.#found;
    return async (part: Parts["parts"][number]) =>
      covariateReader(
        await readPart(engine, part, covariatesQuery(query, { sources, used, folded, part, firstAt })),
        sources,
      );
  }

  /** Reads the events of stale units again, all of them. */
  async #current(batch: readonly MergedUnit[], closedUntil: number | null): Promise<readonly MergedUnit[]> {
    const stale = batch.filter(({ isStale }) => isStale).map(({ hash }) => hash);
    if (stale.length === 0) return batch;
    const whole = await this.#loadUnits(stale, { sql: "1", params: {} });
    const closed = closedUntil === null ? whole : await this.#loadUnits(stale, closedBefore(closedUntil));
    return batch.map((unit) =>
      unit.isStale
        ? { ...unit, whole: whole.get(unit.hash) ?? null, closed: closed.get(unit.hash) ?? null }
        : unit,
    );
  }

  async #loadUnits(
    hashes: readonly bigint[],
    { sql, params }: BoundQuery,
  ): Promise<ReadonlyMap<bigint, Unit>> {
    const where = { sql: `${sql} AND ${HASH} IN {hashes: Array(UInt64)}`, params: { ...params, hashes } };
    const query = usersQuery(this.#query, { used: this.#used, where, openFrom: null });
    const rows = await readPart(this.#engine, WHOLE, query);
    const read = userRowReader(this.#used.sources.length);
    const units = new Map<bigint, Unit>();
    while (!rows.isAtEnd()) {
      const row = read(rows);
      const unit = newUnit(row, this.#used.values);
      addRow(unit, row, this.#used.values);
      units.set(row.hash, unit);
    }
    return units;
  }
}

function windowOf({ source, windowMs, isPerCall }: QueryColumns["values"][number]) {
  return [source, windowMs, isPerCall];
}
