import { normalQuantile } from "./distributions/normal.ts";
import { ALPHA, Z } from "./level.ts";
import type { TestName, TestOutcome } from "./methods/test-outcome.ts";

/** Tests whose effect is bounded; their intervals have the same bounds. */
export const LARGEST_EFFECT: Partial<Record<TestName, number>> = {
  two_proportion_z: 1,
  fisher_exact: 1,
  mann_whitney_u: 0.5,
};

/** A 95% interval and how it was made. */
export type IntervalOutcome = Pick<TestOutcome, "test" | "effect" | "ciLow" | "ciHigh" | "criticalValue">;

/**
 * Computes the level at which the intervals of R selected rows of F have a false coverage rate of at most 5%:
 * 1 − .05 R / F (Benjamini & Yekutieli 2005). Throws RangeError unless 1 ≤ R ≤ F.
 */
export function selectionLevel(selected: number, total: number): number {
  if (!(selected >= 1 && selected <= total)) throw new RangeError("Select at least one row and at most all.");
  return 1 - (ALPHA * selected) / total;
}

/**
 * Widens a 95% interval to a level ≥ .95, each side separately, so that the interval keeps its shape; null if there is none.
 * The sides grow with the normal quantile. If a symmetric interval's critical value exceeds 1.96, Fisher & Cornish's first
 * term in 1 / df is added. Assumes that the estimate is near normal that far out: if α = .05 R / F is far below .05, this is an
 * approximation.
 */
export function selectionAdjusted(
  outcome: IntervalOutcome,
  level: number,
): { readonly ciLow: number; readonly ciHigh: number } | null {
  const { effect, ciLow, ciHigh } = outcome;
  if (ciLow === null || ciHigh === null) return null;
  const growth = widening(outcome.criticalValue ?? Z, level);
  const largest = LARGEST_EFFECT[outcome.test] ?? Number.POSITIVE_INFINITY;
  return {
    ciLow: Math.max(-largest, effect - growth * (effect - ciLow)),
    ciHigh: Math.min(largest, effect + growth * (ciHigh - effect)),
  };
}

/** Student's quantile is z + (z³ + z) / 4 df + … (Fisher & Cornish 1960), and the critical value gives 1 / 4 df. */
function widening(criticalValue: number, level: number): number {
  const z = normalQuantile((1 + level) / 2);
  const tail = Math.max(0, criticalValue - Z) / (Z ** 3 + Z);
  return (z + tail * (z ** 3 + z)) / Math.max(Z, criticalValue);
}
