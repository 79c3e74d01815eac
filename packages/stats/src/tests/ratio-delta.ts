import type { ArmEstimate } from "../fieller.ts";
import type { RatioMoments } from "../moments.ts";
import { studentisedDifference } from "./studentised-difference.ts";
import type { TestOutcome } from "./test-outcome.ts";

/** A linearised spread below this part of its terms is what their cancellation leaves. */
const CANCELLATION = 1e-12;

/**
 * Tests the difference of two ratios Σy / Σd with users as clusters, by the delta method (Deng, Knoblich & Lu 2018): the
 * variance and the degrees of freedom are those of the linearised (y − R d) / mean d. Users with d > 0 only. Null when an
 * arm has fewer than two users, no denominator, or moments that are not finite.
 */
export function ratioDelta(control: RatioMoments, treatment: RatioMoments): TestOutcome | null {
  if (control.meanD <= 0 || treatment.meanD <= 0) return null;
  return studentisedDifference("ratio_delta", toEstimate(control), toEstimate(treatment));
}

function toEstimate({ n, meanY, meanD, m2Y, m2D, cYD }: RatioMoments): ArmEstimate {
  const value = meanY / meanD;
  const terms = m2Y + value * value * m2D;
  const m2 = terms - 2 * value * cYD;
  const spread = m2 <= CANCELLATION * terms ? 0 : m2;
  return { n, value, variance: spread / (n - 1) / (n * meanD * meanD) };
}
