import { type ArmEstimate, fieller } from "../fieller.ts";
import { areCounts, type BinaryCounts } from "../methods/proportions.ts";
import type { TestOutcome } from "../methods/test-outcome.ts";
import { meanEstimate } from "../methods/welch-t.ts";
import { momentsOf } from "../moments.ts";
import { combineStrata, mapStrata, pairArms, type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { permuteCounts } from "./permute-counts.ts";
import { permuteScores } from "./permute-scores.ts";
import type { PermutationOutcome } from "./permute-strata.ts";
import type { PermutationOptions } from "./sample-statistics.ts";

const LEVEL = 0.05;
/** A linearized score below this share of its terms is a cancellation error. */
const CANCELLATION = 1e-12;

/** The users of an arm of a ratio metric, whose value is Σy / Σd. */
export interface RatioUsers {
  readonly y: Float64Array;
  readonly d: Float64Array;
}

/**
 * Tests the difference of two (stratified) means by permutation: `permuteScores` on the users' values. The interval is
 * effect ∓ critical value · standard error, and excludes 0 exactly when p ≤ .05. There is no interval if the data have no
 * spread within the arms or fewer than 19 permutations are requested. Null without strata, if an arm has fewer than two users,
 * if a number is not finite, or if the users of each stratum are all equal, so that there is nothing to permute.
 */
export function permuteMeans(
  strata: readonly Stratum<Float64Array>[],
  options: PermutationOptions,
  clusters: readonly Stratum<Float64Array>[] | null = null,
): TestOutcome | null {
  const permuted = permuteScores(strata, options, clusters);
  return permuted && toTestOutcome(permuted, combineStrata(mapStrata(strata, estimateMean)));
}

/**
 * Tests the difference of two ratios Σy / Σd by permuting the users' scores y − R d. R is the ratio over both arms, so the scores
 * do not depend on the arm (linearization, Budylin et al. 2018). With several strata, an arm's ratio is its weighted mean y over
 * its weighted mean d. The standard error is that of the mean score over κ = D_T D_C n / (n_T D_T + n_C D_C), where D is the mean
 * d of an arm. With one stratum, the difference of the mean scores is κ times the effect, so the interval is exactly dual to p.
 * With several this holds to first order, and a bound on the wrong side of 0 is moved to 0 or, if p ≤ .05, past it. Otherwise like
 * `permuteMeans`; also null if an arm has no denominator.
 */
export function permuteRatios(
  strata: readonly Stratum<RatioUsers>[],
  options: PermutationOptions,
  clusters: readonly Stratum<Float64Array>[] | null = null,
): TestOutcome | null {
  const [control, treatment] = [armOf(strata, "control"), armOf(strata, "treatment")];
  if (!(control.meanD > 0 && treatment.meanD > 0)) return null;
  const users = strata.flatMap((stratum) => [stratum.control, stratum.treatment]);
  const pooled = sumOf(users.map(({ y }) => sumOf(y))) / sumOf(users.map(({ d }) => sumOf(d)));
  const permuted = permuteScores(
    mapStrata(strata, (arm) => linearise(arm, pooled)),
    options,
    clusters,
  );
  const kappa =
    (control.meanD * treatment.meanD * (control.n + treatment.n)) /
    (treatment.n * treatment.meanD + control.n * control.meanD);
  return permuted && toTestOutcome(permuted, { control, treatment }, kappa);
}

/** Tests shares of units whose values are 0 or 1, as `permuteMeans` does; the interval lies within [−1, 1]. */
export function permuteShares(
  strata: readonly Stratum<Float64Array>[],
  options: PermutationOptions,
  clusters: readonly Stratum<Float64Array>[],
): TestOutcome | null {
  const outcome = permuteMeans(strata, options, clusters);
  return outcome && { ...outcome, ...clip(outcome) };
}

/**
 * Computes each user's contribution to its arm's ratio, (y − R d) / mean d: scores whose (stratified) mean has the ratio's variance by
 * the delta method.
 */
export function ratioScores(strata: readonly Stratum<RatioUsers>[]): Stratum<Float64Array>[] {
  const scoresOf = (arm: keyof Stratum<RatioUsers>) => {
    const { value, meanD } = armOf(strata, arm);
    return strata.map((stratum) => linearise(stratum[arm], value).map((score) => score / meanD));
  };
  return pairArms(scoresOf("control"), scoresOf("treatment"));
}

/** Tests the difference of two (stratified) proportions by permutation; otherwise as `permuteMeans`. */
export function permuteProportions(
  strata: readonly Stratum<BinaryCounts>[],
  options: PermutationOptions,
): TestOutcome | null {
  if (!strata.every(areCounts)) return null;
  const counts = mapStrata(
    strata,
    ({ n, successes }) =>
      new Map([
        [0, n - successes],
        [1, successes],
      ]),
  );
  const permuted = permuteCounts(counts, options);
  const outcome = permuted && toTestOutcome(permuted, combineStrata(mapStrata(strata, estimateProportion)));
  return outcome && { ...outcome, ...clip(outcome) };
}

function toTestOutcome(
  permuted: PermutationOutcome,
  { control, treatment }: Stratum<ArmEstimate>,
  kappa = 1,
): TestOutcome | null {
  const effect = treatment.value - control.value;
  const standardError = permuted.standardError / kappa;
  const half = halfWidth(permuted, effect, standardError);
  const [ciLow, ciHigh] = half === null ? [null, null] : [effect - half, effect + half];
  if (![effect, ciLow ?? 0, ciHigh ?? 0].every(Number.isFinite)) return null;
  return {
    test: "permutation",
    statistic: permuted.statistic,
    pValue: permuted.pValue,
    permutationsUsed: permuted.permutationsUsed,
    isAtFloor: permuted.isAtFloor,
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect,
    ciLow,
    ciHigh,
    standardError: standardError > 0 ? standardError : null,
    criticalValue: permuted.criticalValue,
    relative: fieller(control, treatment, permuted.criticalValue),
  };
}

/** Computes half the width of the interval, kept on the side of |effect| that p implies. */
function halfWidth(
  { statistic, criticalValue, pValue }: PermutationOutcome,
  effect: number,
  standardError: number,
): number | null {
  if (statistic === null || criticalValue === null) return null;
  const half = criticalValue * standardError;
  if (pValue > LEVEL) return Math.max(half, Math.abs(effect));
  return Math.min(half, Math.abs(effect) * (criticalValue / Math.abs(statistic)));
}

function estimateMean(values: Float64Array): ArmEstimate {
  return meanEstimate(momentsOf(values));
}

function estimateProportion({ n, successes }: BinaryCounts): ArmEstimate {
  const value = successes / n;
  return { n, value, variance: (value * (1 - value)) / (n - 1) };
}

/** An arm's ratio over all strata with its delta-method variance, and its weighted mean d. */
function armOf(
  strata: readonly Stratum<RatioUsers>[],
  arm: keyof Stratum<RatioUsers>,
): ArmEstimate & { readonly meanD: number } {
  const shares = userShares(strata, ({ d }) => d.length);
  const users = strata.map((stratum) => stratum[arm]);
  const meanOf = (of: keyof RatioUsers) =>
    sumOf(users.map((each, i) => (shares[i]! * sumOf(each[of])) / each[of].length));
  const meanD = meanOf("d");
  const value = meanOf("y") / meanD;
  const variance = sumOf(
    users.map((each, i) => (shares[i]! / meanD) ** 2 * estimateMean(linearise(each, value)).variance),
  );
  return { n: sumOf(users.map(({ d }) => d.length)), value, variance, meanD };
}

function linearise({ y, d }: RatioUsers, ratio: number): Float64Array {
  return y.map((value, i) => {
    const score = value - ratio * d[i]!;
    return Math.abs(score) <= CANCELLATION * Math.abs(value) ? 0 : score;
  });
}

function clip({ ciLow, ciHigh }: TestOutcome): Pick<TestOutcome, "ciLow" | "ciHigh"> {
  return { ciLow: ciLow && Math.max(-1, ciLow), ciHigh: ciHigh && Math.min(1, ciHigh) };
}
