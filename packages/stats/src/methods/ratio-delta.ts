import type { ArmEstimate } from "../fieller.ts";
import type { RatioMoments } from "../moments.ts";
import { type Stratum, userShares } from "../strata.ts";
import { studentisedDifference } from "./studentised-difference.ts";
import type { TestOutcome } from "./test-outcome.ts";

/** A linearized spread below this share of its terms is a cancellation error. */
const CANCELLATION = 1e-12;

/**
 * Tests the difference of two ratios Σy / Σd with users as clusters, by the delta method (Deng, Knoblich & Lu 2018): the
 * variance and the degrees of freedom are those of the linearized (y − R d) / mean d. Several strata give the combined
 * ratio, weighted mean y over weighted mean d, with the variance within strata (Cochran 1977, §6.11). Pass only users with
 * d > 0. Null if an arm of a stratum has fewer than two users, no denominator, or moments that are not finite.
 */
export function ratioDelta(strata: readonly Stratum<RatioMoments>[]): TestOutcome | null {
  if (strata.some(({ control, treatment }) => control.meanD <= 0 || treatment.meanD <= 0)) return null;
  const shares = userShares(strata, ({ n }) => n);
  const controls = toEstimates(
    strata.map(({ control }) => control),
    shares,
  );
  const treatments = toEstimates(
    strata.map(({ treatment }) => treatment),
    shares,
  );
  return studentisedDifference(
    "ratio_delta",
    controls.map((control, i) => ({ control, treatment: treatments[i]! })),
  );
}

/** Splits an arm's ratio into one part per stratum, such that the ratio is their weighted sum. */
function toEstimates(arm: readonly RatioMoments[], shares: readonly number[]): ArmEstimate[] {
  const mean = (of: "meanY" | "meanD") =>
    arm.map((stratum, i) => shares[i]! * stratum[of]).reduce((a, b) => a + b, 0);
  const denominator = mean("meanD");
  const ratio = mean("meanY") / denominator;
  return arm.map((stratum) => ({
    n: stratum.n,
    value: stratum.meanY / denominator,
    variance: linearisedSpread(stratum, ratio) / (stratum.n - 1) / (stratum.n * denominator * denominator),
  }));
}

/** Computes the centered sum of squares of y − ratio · d. */
function linearisedSpread({ m2Y, m2D, cYD }: RatioMoments, ratio: number): number {
  const terms = m2Y + ratio * ratio * m2D;
  const m2 = terms - 2 * ratio * cYD;
  return m2 <= CANCELLATION * terms ? 0 : m2;
}
