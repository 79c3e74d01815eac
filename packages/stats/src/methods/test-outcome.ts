import type { RelativeEffect } from "../fieller.ts";

/** Smaller p-values are stored as this, never as 0. */
const SMALLEST_P_VALUE = 1e-300;

/** The names of the tests in results. */
export const TEST_NAMES = [
  "welch_t",
  "ratio_delta",
  "two_proportion_z",
  "fisher_exact",
  "permutation",
  "mann_whitney_u",
  "cluster_quantile",
  "cluster_bootstrap",
  "ppi_z",
] as const;
export type TestName = (typeof TEST_NAMES)[number];

/** The fields of a randomized test, for a closed form. */
export const CLOSED_FORM = { permutationsUsed: 0, isAtFloor: false } as const;

/** The result of a test of one treatment against control. A null field is undefined for these data. */
export interface TestOutcome {
  /** The test that ran. `permutation` with 0 permutations is the exact test of two arms without spread. */
  readonly test: TestName;
  readonly statistic: number | null;
  /** Two-sided, 1e-300 to 1. */
  readonly pValue: number;
  /** The permutations (or bootstrap replicates) that define `pValue`; 0 for a closed form. */
  readonly permutationsUsed: number;
  /** Whether `pValue` is the smallest possible with this number of random permutations. */
  readonly isAtFloor: boolean;
  readonly controlValue: number;
  readonly treatmentValue: number;
  /** Treatment minus control, in the metric's unit, with its 95% interval. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** The standard error of the effect; null if the data have no spread. */
  readonly standardError: number | null;
  /** Half the width of a symmetric 95% interval in standard errors; the relative interval uses it too. */
  readonly criticalValue: number | null;
  readonly relative: RelativeEffect;
}

/** Raises a p-value that underflowed to the smallest one stored. */
export function floorPValue(pValue: number): number {
  return Math.max(pValue, SMALLEST_P_VALUE);
}
