import { type ArmEstimate, fiellerFromLimits, type LimitDistances } from "../fieller.ts";
import { Z } from "../level.ts";
import { combineStrata, type Stratum, userShares } from "../strata.ts";
import type { TestOutcome } from "./test-outcome.ts";

/** An arm of a binary metric: `successes` of `n` users. */
export interface BinaryCounts {
  readonly n: number;
  readonly successes: number;
}

/** Returns whether a test can use both arms' counts: each has users, and no more successes than users. */
export function areCounts({ control, treatment }: Stratum<BinaryCounts>): boolean {
  return [control, treatment].every(({ n, successes }) => n > 0 && successes >= 0 && successes <= n);
}

/** Computes the smallest expected cell of the strata's two-by-two tables if the arms did not differ; users > 0. */
export function smallestExpectedCell(strata: readonly Stratum<BinaryCounts>[]): number {
  const smallest = ({ control, treatment }: Stratum<BinaryCounts>) => {
    const n = control.n + treatment.n;
    const successes = control.successes + treatment.successes;
    return (Math.min(control.n, treatment.n) * Math.min(successes, n - successes)) / n;
  };
  return Math.min(...strata.map(smallest));
}

/** Computes Wilson's 95% score interval of a proportion, within [0, 1] (Wilson 1927). */
export function wilsonInterval({ n, successes }: BinaryCounts): readonly [low: number, high: number] {
  const p = successes / n;
  const z2 = (Z * Z) / n;
  const half = Math.sqrt(((p * (1 - p)) / n) * Z * Z + (z2 * z2) / 4);
  const centre = p + z2 / 2;
  return [Math.max(0, (centre - half) / (1 + z2)), Math.min(1, (centre + half) / (1 + z2))];
}

/**
 * Computes the 95% hybrid score interval of treatment − control, within [−1, 1] (Newcombe 1998, method 10). Over strata,
 * the distances to Wilson's limits are combined like variances (Zou, Huang & Zhang 2009).
 */
export function newcombeInterval(
  strata: readonly Stratum<BinaryCounts>[],
): readonly [low: number, high: number] {
  const { control, treatment } = combineProportions(strata);
  const effect = treatment.value - control.value;
  const ofControl = wilsonDistances(strata, "control");
  const ofTreatment = wilsonDistances(strata, "treatment");
  const down = Math.hypot(ofTreatment.down, ofControl.up);
  const up = Math.hypot(ofTreatment.up, ofControl.down);
  return [Math.max(-1, effect - down), Math.min(1, effect + up)];
}

function wilsonDistances(
  strata: readonly Stratum<BinaryCounts>[],
  arm: keyof Stratum<BinaryCounts>,
): LimitDistances {
  const shares = userShares(strata, ({ n }) => n);
  const distances = strata.map((stratum, i) => {
    const [low, high] = wilsonInterval(stratum[arm]);
    const p = stratum[arm].successes / stratum[arm].n;
    return { down: shares[i]! * (p - low), up: shares[i]! * (high - p) };
  });
  return {
    down: Math.hypot(...distances.map(({ down }) => down)),
    up: Math.hypot(...distances.map(({ up }) => up)),
  };
}

/**
 * Computes the results that all tests of a binary metric share: the difference with its Newcombe interval and Wald standard error,
 * and the lift with Fieller's interval. Both intervals use the same Wilson limits, so they exclude 0 together.
 */
export function compareProportions(
  strata: readonly Stratum<BinaryCounts>[],
): Omit<TestOutcome, "test" | "statistic" | "pValue" | "permutationsUsed" | "isAtFloor"> {
  const { control, treatment } = combineProportions(strata);
  const [ciLow, ciHigh] = newcombeInterval(strata);
  const standardError = Math.sqrt(control.variance + treatment.variance);
  const criticalValue = standardError > 0 ? Z : null;
  return {
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect: treatment.value - control.value,
    ciLow,
    ciHigh,
    standardError: standardError > 0 ? standardError : null,
    criticalValue,
    relative: fiellerFromLimits(
      { value: control.value, ...wilsonDistances(strata, "control") },
      { value: treatment.value, ...wilsonDistances(strata, "treatment") },
    ),
  };
}

function combineProportions(strata: readonly Stratum<BinaryCounts>[]): Stratum<ArmEstimate> {
  return combineStrata(
    strata.map(({ control, treatment }) => ({
      control: toEstimate(control),
      treatment: toEstimate(treatment),
    })),
  );
}

function toEstimate({ n, successes }: BinaryCounts): ArmEstimate {
  const value = successes / n;
  return { n, value, variance: (value * (1 - value)) / n };
}
