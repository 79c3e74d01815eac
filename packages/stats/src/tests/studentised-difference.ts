import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { type ArmEstimate, fieller } from "../fieller.ts";
import { fisherPValue } from "./fisher-exact.ts";
import { floorPValue, type TestOutcome } from "./test-outcome.ts";

/** A spread or a difference below this part of the value is rounding. */
const ROUNDING = 1e-12;

/**
 * Tests the difference of two estimates by Student's t with Welch–Satterthwaite degrees of freedom. Null when an arm has
 * fewer than two users or a number is not finite. Two arms without spread: p = 1 when equal, else the exact permutation.
 */
export function studentisedDifference(
  test: "welch_t" | "ratio_delta",
  control: ArmEstimate,
  treatment: ArmEstimate,
): TestOutcome | null {
  if (control.n < 2 || treatment.n < 2) return null;
  const c = withoutRounding(control);
  const t = withoutRounding(treatment);
  const variance = c.variance + t.variance;
  const effect = treatment.value - control.value;
  if (variance === 0 && Number.isFinite(effect)) return constantArms(control, treatment);
  const standardError = Math.sqrt(variance);
  const df = welchDf(c, t);
  const criticalValue = studentTQuantile(0.975, df);
  const half = criticalValue * standardError;
  const statistic = effect / standardError;
  if (![effect - half, effect + half, statistic].every(Number.isFinite)) return null;
  return {
    test,
    statistic,
    pValue: floorPValue(2 * studentTSf(Math.abs(statistic), df)),
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

/** Computes Welch–Satterthwaite degrees of freedom from shares of the variance, which cannot overflow. */
export function welchDf(control: ArmEstimate, treatment: ArmEstimate): number {
  const share = treatment.variance / (control.variance + treatment.variance);
  return 1 / (share ** 2 / (treatment.n - 1) + (1 - share) ** 2 / (control.n - 1));
}

function withoutRounding(arm: ArmEstimate): ArmEstimate {
  const isRounding = Math.sqrt(arm.variance * arm.n) <= ROUNDING * Math.abs(arm.value);
  return isRounding ? { ...arm, variance: 0 } : arm;
}

/** Two arms of one value each: any other split of the users would mix the values, so the exact p-value is Fisher's. */
function constantArms(control: ArmEstimate, treatment: ArmEstimate): TestOutcome {
  const difference = treatment.value - control.value;
  const size = Math.max(Math.abs(treatment.value), Math.abs(control.value));
  const areEqual = Math.abs(difference) <= ROUNDING * size;
  return {
    test: "permutation",
    statistic: null,
    pValue: areEqual
      ? 1
      : fisherPValue({ n: control.n, successes: 0 }, { n: treatment.n, successes: treatment.n }),
    controlValue: control.value,
    treatmentValue: areEqual ? control.value : treatment.value,
    effect: areEqual ? 0 : difference,
    ciLow: null,
    ciHigh: null,
    standardError: null,
    criticalValue: null,
    relative: fieller(control, areEqual ? control : treatment, null),
  };
}
