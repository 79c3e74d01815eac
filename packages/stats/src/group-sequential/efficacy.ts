import { obrienFlemingSpent } from "./spending.ts";
import { beforeNext, type Look, placeOf } from "./walk.ts";

/** A fraction that rises by less than this counts as the previous look: it adds nothing, and the recursion needs a step. */
export const SMALLEST_STEP = 1e-3;
/** A look that may spend less than this has no boundary. */
export const SMALLEST_SPENT = 1e-8;

/** The boundaries up to a look. Immutable; `extendBoundaries` adds the next look. */
export interface BoundaryState {
  /** The two-sided level of all looks together. */
  readonly alpha: number;
  /** The critical |z| of the latest look; Infinity until there is error to spend. */
  readonly boundary: number;
  /** The latest look with a boundary. */
  readonly latest: Look | null;
}

/** Starts the boundaries of an experiment before its first look; two-sided alpha between 0 and 1. */
export function startBoundaries(alpha: number): BoundaryState {
  return { alpha, boundary: Number.POSITIVE_INFINITY, latest: null };
}

/**
 * Adds a look at information fraction t (up to 1), with one step of the recursion. A fraction less than .001 above the latest
 * boundary's fraction counts as the same look.
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
 * Computes the critical |z| of each look at these information fractions (ascending, up to 1), such that without an effect all
 * looks together reject with probability alpha (two-sided). Each side spends half of `obrienFlemingSpent`. Infinity if less
 * than 1e-8 may be spent. A fraction less than .001 above the previous one has the same boundary.
 */
export function efficacyBoundaries(fractions: readonly number[], alpha: number): readonly number[] {
  let state = startBoundaries(alpha);
  return fractions.map((t) => {
    state = extendBoundaries(state, t);
    return state.boundary;
  });
}
