import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { type ArmEstimate, fieller } from "../fieller.ts";
import { UPPER } from "../level.ts";
import { combineStrata, type Stratum, satterthwaiteDf } from "../strata.ts";
import { fisherPValue } from "./fisher-exact.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/** A spread or difference below this share of the value is a rounding error. */
const ROUNDING = 1e-12;

/**
 * Tests the difference of two estimates, combined over strata, by Student's t with Welch–Satterthwaite degrees of freedom.
 * Null without strata, when an arm of one has fewer than two users, or when a number is not finite. Arms without spread:
 * p = 1 when equal, else the exact permutation.
 */
export function studentisedDifference(
  test: "welch_t" | "ratio_delta",
  strata: readonly Stratum<ArmEstimate>[],
): TestOutcome | null {
  const hasUsers = strata.every(({ control, treatment }) => control.n >= 2 && treatment.n >= 2);
  if (strata.length === 0 || !hasUsers) return null;
  const exact = strata.map(({ control, treatment }) => ({
    control: withoutRounding(control),
    treatment: withoutRounding(treatment),
  }));
  const { control, treatment } = combineStrata(exact);
  const variance = control.variance + treatment.variance;
  const effect = treatment.value - control.value;
  if (variance === 0 && Number.isFinite(effect)) return constantArms(exact);
  const standardError = Math.sqrt(variance);
  const df = satterthwaiteDf(control, treatment);
  const criticalValue = studentTQuantile(UPPER, df);
  const half = criticalValue * standardError;
  const statistic = effect / standardError;
  if (![effect - half, effect + half, statistic].every(Number.isFinite)) return null;
  return {
    test,
    statistic,
    pValue: floorPValue(2 * studentTSf(Math.abs(statistic), df)),
    ...CLOSED_FORM,
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect,
    ciLow: effect - half,
    ciHigh: effect + half,
    standardError,
    criticalValue,
    relative: fieller(control, treatment, criticalValue),
  };
}

function withoutRounding(arm: ArmEstimate): ArmEstimate {
  const isRounding = Math.sqrt(arm.variance * arm.n) <= ROUNDING * Math.abs(arm.value);
  return isRounding ? { ...arm, variance: 0 } : arm;
}

/**
 * Handles arms that have one value each. Within a stratum, any other split of the users would mix the values, so the exact p-value
 * is Fisher's. Strata are independent.
 */
function constantArms(strata: readonly Stratum<ArmEstimate>[]): TestOutcome {
  const { control, treatment } = combineStrata(strata);
  const areEqual = isRounding({ control, treatment });
  const pValues = strata.map((stratum) => (isRounding(stratum) ? 1 : separationPValue(stratum)));
  return {
    test: "permutation",
    statistic: null,
    pValue: areEqual ? 1 : floorPValue(pValues.reduce((product, p) => product * p)),
    ...CLOSED_FORM,
    controlValue: control.value,
    treatmentValue: areEqual ? control.value : treatment.value,
    effect: areEqual ? 0 : treatment.value - control.value,
    ciLow: null,
    ciHigh: null,
    standardError: null,
    criticalValue: null,
    relative: fieller(control, areEqual ? control : treatment, null),
  };
}

function isRounding({ control, treatment }: Stratum<ArmEstimate>): boolean {
  const size = Math.max(Math.abs(treatment.value), Math.abs(control.value));
  return Math.abs(treatment.value - control.value) <= ROUNDING * size;
}

function separationPValue({ control, treatment }: Stratum<ArmEstimate>): number {
  return fisherPValue({ n: control.n, successes: 0 }, { n: treatment.n, successes: treatment.n });
}
