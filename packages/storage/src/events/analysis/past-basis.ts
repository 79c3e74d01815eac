import { type AnalysisQuery, addDays, type Day, dayOf } from "@assay/domain";
import type { FoldedDays } from "../units/unit-days.ts";
import { shapeOf } from "../units/unit-states.ts";
import type { SourceColumn } from "./metric-columns.ts";

/** What the past in a state was computed from, and what its experiment needs in the next night. */
export interface PastBasis {
  readonly preDays: number;
  readonly days: readonly (readonly [day: Day, fold: string])[];
  /** Absent if units are not users, and in states of versions that read each experiment's past alone. */
  readonly asked?: {
    readonly sources: readonly Pick<SourceColumn, "source" | "acceptFrom">[];
    /** A text that changes with the prices. */
    readonly prices: string;
  };
}

/** A day before all events. */
export const ALWAYS = "1970-01-01" as Day;

/** Returns what the past is computed from; null if cells are computed for one analysis, because the next cannot use them. */
export function basisOf(
  { sample, unit, prices }: AnalysisQuery,
  sources: readonly SourceColumn[],
  folded: FoldedDays | null,
): PastBasis | null {
  if (folded === null) return null;
  const asked = {
    sources: sources.map(({ source, acceptFrom }) => ({ source, acceptFrom })),
    prices: shapeOf(prices),
  };
  return {
    preDays: sample?.preDays ?? 0,
    days: folded.days.map((day, i) => [day as Day, String(folded.folds[i])] as const),
    ...(unit === "user" && { asked }),
  };
}

/** Writes a basis in the form that `StoredState` stores. */
export const basisText = (basis: PastBasis | null): string => (basis === null ? "" : JSON.stringify(basis));

/** Reads what `basisText` wrote. */
export const readBasis = (text: string): PastBasis | null =>
  text === "" ? null : (JSON.parse(text) as PastBasis);

/** A stored past, computed from the events before a midnight (epoch milliseconds). */
export interface StoredPast {
  readonly closedBefore: number;
  readonly basis: PastBasis | null;
}

/**
 * Returns the first day whose newly exposed units have no stored past, or an outdated one. `exposedOn` is the day of the first
 * exposure that is missing in the state (epoch milliseconds); null if none is.
 */
export function firstOutdated(
  now: PastBasis | null,
  stored: StoredPast | null,
  exposedOn: number | null,
): Day {
  const then = stored?.basis ?? null;
  if (now === null || stored === null || then === null || now.preDays !== then.preDays) return ALWAYS;
  const [current, former] = [new Set(now.days.map(String)), new Set(then.days.map(String))];
  const changed = [
    ...now.days.filter((day) => !former.has(String(day))),
    ...then.days.filter((day) => !current.has(String(day))),
  ].map(([day]) => addDays(day, 1));
  const days = [dayOf(stored.closedBefore), ...changed, ...(exposedOn === null ? [] : [dayOf(exposedOn)])];
  return days.reduce((one, other) => (other < one ? other : one));
}
