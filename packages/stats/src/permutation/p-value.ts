import { ALPHA } from "../level.ts";

/** Statistics this close below the observed one count as equal, because the difference is rounding. */
const TIE = 1 - 1e-12;

/** |t| under relabelings of the users. */
export interface Statistics {
  readonly sizes: Float64Array;
  /** Whether the observed statistic is one of these; otherwise it is counted in addition. */
  readonly hasObserved: boolean;
}

/** A p-value, its dual critical value, and the number of relabelings as extreme as the data. */
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
 * Computes p = b / m if b of m relabelings are as extreme as the data, or (b + 1) / (m + 1) if the data are not among them
 * (Phipson & Smyth 2010). The critical value is the (r + 1)-th largest |t|, where r is the largest b with p ≤ .05. It is at least
 * |statistic| exactly when p > .05, and null if it is infinite or no b gives p ≤ .05.
 */
export function judge(statistic: number, { sizes, hasObserved }: Statistics): Judgement {
  const size = Math.abs(statistic);
  const added = hasObserved ? 0 : 1;
  const all = sizes.length + added;
  const exceedances = sizes.filter((value) => value >= thresholdOf(size)).length;
  const allowed = Math.floor(all * ALPHA) - added;
  const next = allowed < 0 ? Infinity : sizes.toSorted()[sizes.length - 1 - allowed]!;
  // A critical value that ties with the data up to rounding is raised to them, so that the interval does not exclude 0.
  const criticalValue = exceedances > allowed ? Math.max(next, size) : next;
  return {
    pValue: (exceedances + added) / all,
    criticalValue: Number.isFinite(criticalValue + size) ? criticalValue : null,
    exceedances,
  };
}
