import { ALPHA } from "../level.ts";

/** Statistics this close below the observed one are equal to it but for rounding. */
const TIE = 1 - 1e-12;

/** |t| under relabelings of the users. */
export interface Statistics {
  readonly sizes: Float64Array;
  /** Whether the observed one counts as one of these; else it counts as one more. */
  readonly hasObserved: boolean;
}

/** A p-value, the critical value dual to it, and how many relabelings were as extreme as the data. */
export interface Judgement {
  readonly pValue: number;
  readonly criticalValue: number | null;
  readonly exceedances: number;
}

/** Returns the smallest |t| that is as extreme as the observed one. */
export function thresholdOf(statistic: number): number {
  return Math.abs(statistic) * TIE;
}

/**
 * Computes p = b / m from the b of m relabelings that are as extreme as the data, or (b + 1) / (m + 1) when the data are not
 * one of them (Phipson & Smyth 2010), and the critical value: with r the largest b for which p ≤ .05, the (r + 1)-th largest
 * |t|. That is |statistic| or more exactly when p > .05; null when infinite or when no b gives p ≤ .05.
 */
export function judge(statistic: number, { sizes, hasObserved }: Statistics): Judgement {
  const size = Math.abs(statistic);
  const added = hasObserved ? 0 : 1;
  const all = sizes.length + added;
  const exceedances = sizes.filter((value) => value >= thresholdOf(size)).length;
  const allowed = Math.floor(all * ALPHA) - added;
  const next = allowed < 0 ? Infinity : sizes.toSorted()[sizes.length - 1 - allowed]!;
  // One that ties with the data but for rounding is raised to them, so that the interval does not exclude 0.
  const criticalValue = exceedances > allowed ? Math.max(next, size) : next;
  return {
    pValue: (exceedances + added) / all,
    criticalValue: Number.isFinite(criticalValue + size) ? criticalValue : null,
    exceedances,
  };
}
