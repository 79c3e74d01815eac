import { type AnalysisQuery, isOfWholeUsers, startOfDay } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, OF_EXPERIMENT } from "../sql/conditions.ts";
import { foldDays } from "../units/fold-days.ts";
import { loadLogContents } from "../units/log-contents.ts";
import { hasMark, LOG_MARK, type LoggedEvents } from "../units/logged-events.ts";
import type { Unit } from "../units/unit.ts";
import type { FoldedDays } from "../units/unit-days.ts";
import type { AnalyzedUnit } from "./analyzed-unit.ts";
import { type CovariateReader, covariateReader, covariateSources, loadCovariates } from "./covariates.ts";
import type { QueryColumns } from "./metric-columns.ts";
import { ON_ONE_THREAD, type Part } from "./parts.ts";
import {
  ALWAYS,
  basisOf,
  basisText,
  firstOutdated,
  type PastBasis,
  readBasis,
  type StoredPast,
} from "./past-basis.ts";
import { mayBeOverruled, type Plan } from "./plans.ts";
import { isReadTogether, type PastOfNight, readSharedPast } from "./shared-past.ts";

/** Adds to units what they did before their first exposure. */
export interface PastLoader {
  /** Loads the past of a part's units. Call the result for each unit in hash order; it sets the unit's past if it must be renewed. */
  load(part: Part): Promise<(unit: Unit) => boolean>;
  /** What the past was computed from, to be stored with the state. */
  readonly basis: string;
}

/** For analyses that need no past: each unit keeps the one it was stored with. */
const NO_PAST: PastLoader = { load: async () => () => false, basis: "" };

/**
 * Prepares to load what an experiment's units did before their first exposures. Stored units already have it, unless a day before
 * their first exposure was folded again.
 */
export async function preparePast(
  engine: EventEngine,
  { query, used }: { readonly query: AnalysisQuery; readonly used: QueryColumns },
  plan: Plan<AnalyzedUnit>,
): Promise<PastLoader> {
  const sources = query.sample === null || query.sample.preDays === 0 ? [] : covariateSources(used);
  if (sources.length === 0 || plan.parts.length === 0) return NO_PAST;
  // Cells belong to users. Exclusions of whole users do not affect them, because excluded users have no exposure to join.
  const { fromCells, logged, ofOrg } = plan.log;
  const isFolded = fromCells && query.exclusions.every(isOfWholeUsers);
  const folded = isFolded ? await foldAll(engine, query, plan) : null;
  const basis = basisOf(query, sources, folded);
  const exposedFrom = firstOutdated(basis, storedPast(plan), plan.openExposedOn);
  const outdatedFrom = startOfDay(exposedFrom);
  const first = fromCells ? null : await findPast(engine, query);
  if (first !== null && !first.hasPast)
    return {
      basis: basisText(basis),
      load: async () => (unit) => {
        unit.past = null;
        return true;
      },
    };
  const firstAt =
    logged.length > 0
      ? Math.min(...logged.map((one) => one.firstAt))
      : (first?.at ?? (await firstEventAt(engine, query)));
  const byTokens = ofOrg === null || hasMark(ofOrg.all, LOG_MARK.byTokens);
  const isOverruled = mayBeOverruled(plan.log);
  const isExposed = ofOrg === null || hasMark(logged.filter(isFrom(outdatedFrom)), LOG_MARK.exposure);
  const parts = { sources, folded, isOverruled, byTokens, exposedFrom };
  const ofNight = nightOf(query, { ...parts, basis, plan });
  let shared: Promise<CovariateReader> | null = null;
  const read = async (part: Part): Promise<CovariateReader> => {
    if (!isExposed) return () => null;
    if (ofNight !== null) {
      shared ??= readSharedPast(engine, query, ofNight);
      return shared;
    }
    const experimentIds = [query.experimentId];
    const rows = await loadCovariates(engine, query, { ...parts, experimentIds, part, firstAt });
    return covariateReader(rows, { unit: query.unit, columns: sources.map(({ index }) => index) });
  };
  return {
    basis: basisText(basis),
    load: async (part) => {
      const pastOf = await read(part);
      return (unit) => {
        const { hash, first } = unit;
        if (first === null || first.at < outdatedFrom) return false;
        unit.past = pastOf({ hash, userKey: first.userKey });
        return true;
      };
    },
  };
}

function storedPast({ stored }: Plan<AnalyzedUnit>): StoredPast | null {
  return stored && { closedBefore: stored.state.closedBefore, basis: readBasis(stored.state.basis) };
}

/** Returns a night's request when it can be read together with the org's other experiments; null if it must be read alone. */
function nightOf(
  query: AnalysisQuery,
  {
    basis,
    plan: { stored, log, eventsPerPart },
    ...parts
  }: Omit<PastOfNight, "basis" | "closedBefore" | "ofOrg" | "mostEvents"> & {
    readonly basis: PastBasis | null;
    readonly plan: Plan<AnalyzedUnit>;
  },
): PastOfNight | null {
  const isAlone =
    stored === null || log.ofOrg === null || parts.exposedFrom === ALWAYS || query.unit !== "user";
  if (isAlone || basis === null) return null;
  const { closedBefore } = stored.state;
  // Only first exposures among these events have a row, and it is narrower than the rows that are read in parts.
  const night = { ...parts, basis, ofOrg: log.ofOrg, closedBefore, mostEvents: 2 * eventsPerPart };
  return isReadTogether(query, night) ? night : null;
}

const isFrom =
  (at: number) =>
  ({ occurredOn }: LoggedEvents) =>
    occurredOn >= at;

async function foldAll(
  engine: EventEngine,
  query: AnalysisQuery,
  { log: { ofOrg } }: Plan<AnalyzedUnit>,
): Promise<FoldedDays> {
  const scope = { orgId: query.orgId, experimentId: null };
  return foldDays(engine, query, ofOrg ?? (await loadLogContents(engine, scope)));
}

interface FoundPast {
  /** When the experiment's first event occurred, epoch milliseconds. */
  readonly at: number;
  /** Whether a user did anything on a day before an exposure that counts. */
  readonly hasPast: boolean;
}

/** Checks whether there is any past. In a small org, this takes an eighth of the time of loading it. */
async function findPast(engine: EventEngine, query: AnalysisQuery): Promise<FoundPast> {
  const { isExposure, params } = countedRows(query);
  // A user's later conversations may begin after activity in the first one.
  const ofUser = query.unit === "user" ? "min" : "max";
  const [row] = await engine.rows<[number, 0 | 1 | null]>(
    `SELECT toUnixTimestamp64Milli(min(first_at)), max(has_past) FROM ${engine.perShard(
      `SELECT minOrNullIf(occurred_at, ${OF_EXPERIMENT}) AS first_at,
         minOrNullIf(toDate(occurred_at), type != 'exposure') < ${ofUser}OrNullIf(toDate(occurred_at), ${isExposure}) AS has_past
       FROM analysis WHERE org_id = {org_id: String} GROUP BY user_id`,
    )}`,
    { ...params, until: query.until },
    ON_ONE_THREAD,
  );
  const [at, hasPast] = row!;
  return { at, hasPast: hasPast === 1 };
}

async function firstEventAt(engine: EventEngine, { orgId, experimentId }: AnalysisQuery): Promise<number> {
  const [row] = await engine.rows<[number]>(
    `SELECT toUnixTimestamp64Milli(min(occurred_at)) FROM analysis WHERE ${OF_EXPERIMENT}`,
    { org_id: orgId, experiment_id: experimentId },
  );
  return row![0];
}
