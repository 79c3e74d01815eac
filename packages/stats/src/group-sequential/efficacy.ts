import { obrienFlemingSpent } from "./spending.ts";
import { beforeNext, type Look, placeOf } from "./walk.ts";

/** A fraction that rises by less is the look before: nothing new was learned, and the recursion needs a step. */
export const SMALLEST_STEP = 1e-3;
/** A look that may spend less than this has no boundary. */
export const SMALLEST_SPENT = 1e-8;

/** The boundaries up to a look; `extendBoundaries` adds the next. Never changed. */
export interface BoundaryState {
  /** The two-sided level of all looks together. */
  readonly alpha: number;
  /** The critical |z| of the latest look; Infinity as long as nothing may be spent. */
  readonly boundary: number;
  /** The latest look with a boundary. */
  readonly latest: Look | null;
}

/** Starts the boundaries of an experiment before its first look; two-sided alpha between 0 and 1. */
export function startBoundaries(alpha: number): BoundaryState {
  return { alpha, boundary: Number.POSITIVE_INFINITY, latest: null };
}

/**
 * Adds a look at information fraction t (to 1) at the cost of one step of the recursion. A fraction that is less than .001
 * above that of the latest boundary is the same look.
 */
export function extendBoundaries(state: BoundaryState, t: number): BoundaryState {
  const { alpha, latest } = state;
  const latestT = latest?.stop.t ?? 0;
  const spent = obrienFlemingSpent(t, alpha) / 2;
  if (t - latestT < SMALLEST_STEP || 2 * spent < SMALLEST_SPENT) return state;
  const before = beforeNext(latest, 0, t);
  const upper = placeOf(before, 0, t, 1, spent - obrienFlemingSpent(latestT, alpha) / 2);
  return { alpha, boundary: upper / Math.sqrt(t), latest: { before, stop: { t, lower: -upper, upper } } };
}

/**
 * Computes the critical |z| of each look at these information fractions (ascending, to 1) so that all looks together
 * reject without an effect with probability alpha (two-sided). Each side spends half of
 * `obrienFlemingSpent`. Infinity where less than 1e-8 may be spent; a fraction hardly above
 * the one before has its boundary.
 */
export function efficacyBoundaries(fractions: readonly number[], alpha: number): readonly number[] {
  let state = startBoundaries(alpha);
  return fractions.map((t) => {
    state = extendBoundaries(state, t);
    return state.boundary;
  });
}
