import type { ArmEstimate } from "../fieller.ts";
import type { Moments } from "../moments.ts";
import type { Stratum } from "../strata.ts";
import { studentisedDifference } from "./studentised-difference.ts";
import type { TestOutcome } from "./test-outcome.ts";

/**
 * Tests the difference of two means with unequal variances (Welch 1947), post-stratified when there are several strata.
 * Needs at least two users per arm of each stratum, and enough for the mean to be near normal (about 355 skewness², Kohavi
 * 2014). Null if an arm is smaller or its moments are not finite (values above about 1e150). Values below about 1e-150 count as
 * having no spread.
 */
export function welchT(strata: readonly Stratum<Moments>[]): TestOutcome | null {
  const estimates = strata.map(({ control, treatment }) => ({
    control: meanEstimate(control),
    treatment: meanEstimate(treatment),
  }));
  return studentisedDifference("welch_t", estimates);
}

/** Estimates a mean and the variance of that estimate. */
export function meanEstimate({ n, mean, m2 }: Moments): ArmEstimate {
  return { n, value: mean, variance: m2 / (n - 1) / n };
}
