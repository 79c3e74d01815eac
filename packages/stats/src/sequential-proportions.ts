import type { BinaryCounts } from "./methods/proportions.ts";
import { areCounts, smallestExpectedCell } from "./methods/proportions.ts";
import { type AlwaysValid, alwaysValid, type Look } from "./sequential.ts";
import { type Stratum, userShares } from "./strata.ts";

/** Below this many expected users with or without success in an arm, the normal approximation fails in the tails. */
const MIN_EXPECTED_CELL = 10;
/** Number of halvings after which an interval within [−1, 1] is as narrow as a double's last digit. */
const HALVINGS = 54;

/**
 * Computes the always-valid interval and p-value of a difference of proportions. Wald's standard error is almost 0 while an arm has
 * no success yet, so the evidence uses the score statistic: its variance is that of the most likely shares with the tested
 * difference (Miettinen & Nurminen 1985), which is the pooled variance for no difference. The interval contains the differences
 * that the same statistic does not refute, so it excludes 0 exactly when p is below 5%. Null if an expected cell is below 10,
 * without strata or users, or if all users succeed or all fail.
 */
export function alwaysValidProportions(
  strata: readonly Stratum<BinaryCounts>[],
  expectedUsers?: Look["expectedUsers"],
): AlwaysValid | null {
  if (strata.length === 0 || !strata.every(areCounts)) return null;
  // Without any success or any failure, an expected cell is 0.
  if (smallestExpectedCell(strata) < MIN_EXPECTED_CELL) return null;
  const effect = differenceOf(strata);
  const standardError = scoreError(strata, 0);
  const n = strata.reduce((sum, { control, treatment }) => sum + control.n + treatment.n, 0);
  const now = alwaysValid({ effect, standardError, n, expectedUsers });
  const standardErrors = (now.ciHigh - effect) / standardError;
  return {
    ...now,
    ciLow: lowestNotRefuted(strata, standardErrors),
    ciHigh: -lowestNotRefuted(strata.map(swapArms), standardErrors),
  };
}

function differenceOf(strata: readonly Stratum<BinaryCounts>[]): number {
  const shares = userShares(strata, ({ n }) => n);
  return strata.reduce(
    (sum, { control, treatment }, i) =>
      sum + shares[i]! * (treatment.successes / treatment.n - control.successes / control.n),
    0,
  );
}

/** Finds the smallest difference within the given number of standard errors of the observed one. */
function lowestNotRefuted(strata: readonly Stratum<BinaryCounts>[], standardErrors: number): number {
  const effect = differenceOf(strata);
  let [refuted, held] = [-1, effect];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (refuted + held) / 2;
    if (effect - middle > standardErrors * scoreError(strata, middle)) refuted = middle;
    else held = middle;
  }
  return held;
}

/** The standard error of the observed difference if the true one were `difference` in every stratum. */
function scoreError(strata: readonly Stratum<BinaryCounts>[], difference: number): number {
  const shares = userShares(strata, ({ n }) => n);
  const variance = strata.reduce((sum, { control, treatment }, i) => {
    const ofControl = likeliestControl({ control, treatment }, difference);
    const ofTreatment = ofControl + difference;
    const parts = (ofControl * (1 - ofControl)) / control.n + (ofTreatment * (1 - ofTreatment)) / treatment.n;
    return sum + shares[i]! ** 2 * parts;
  }, 0);
  return Math.sqrt(Math.max(0, variance));
}

/** Finds control's most likely share if treatment's is `difference` higher: the zero of the likelihood's slope, which only decreases. */
function likeliestControl({ control, treatment }: Stratum<BinaryCounts>, difference: number): number {
  if (difference === 0) return (control.successes + treatment.successes) / (control.n + treatment.n);
  let [low, high] = [Math.max(0, -difference), Math.min(1, 1 - difference)];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (slope(control, middle) + slope(treatment, middle + difference) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The slope of the log likelihood at a share between 0 and 1. */
function slope({ n, successes }: BinaryCounts, share: number): number {
  return successes / share - (n - successes) / (1 - share);
}

function swapArms({ control, treatment }: Stratum<BinaryCounts>): Stratum<BinaryCounts> {
  return { control: treatment, treatment: control };
}
