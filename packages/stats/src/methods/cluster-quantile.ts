import { studentTQuantile } from "../distributions/student-t.ts";
import { fieller } from "../fieller.ts";
import { ALPHA, UPPER } from "../level.ts";
import { permuteScores } from "../permutation/permute-scores.ts";
import type { PermutationOutcome } from "../permutation/permute-strata.ts";
import type { PermutationOptions } from "../permutation/sample-statistics.ts";
import { type Stratum, satterthwaiteDf, userShares } from "../strata.ts";
import {
  addMass,
  binUsers,
  type ClusterBins,
  type IndexedBins,
  indexBins,
  locate,
  quantileScores,
} from "./indexed-bins.ts";
import { onceEach } from "./multiplicities.ts";
import { estimateQuantile } from "./quantile-estimate.ts";
import { CLOSED_FORM, type TestOutcome } from "./test-outcome.ts";

/** With fewer users on either side of the quantile, its interval cannot be estimated. */
const MIN_USERS_BEYOND = 10;
/** If one user makes more than this share of an arm's calls, the quantile mostly reflects that user. */
const LARGEST_CALL_SHARE = 0.1;

export interface ClusterQuantileOptions extends PermutationOptions {
  /** Above 0 and below 1. */
  readonly quantile: number;
}

/**
 * Tests the difference of a quantile of calls with users as clusters (Deng, Knoblich & Lu 2018), from calls counted by fine
 * bin. p comes from permuting whole users' scores at the quantile over both arms, and is exact however unequal the users are. The
 * interval uses the larger critical value of that permutation and of Student's t, whose degrees of freedom come from the arms'
 * effective users ((Σ D)² / Σ D², Kish 1965). It contains 0 whenever p is above .05. If all calls are in one bin, p = 1. Null if
 * fewer than 10 users lie on a side of the quantile, an arm of a stratum has fewer than two users, one user makes more than a
 * tenth of an arm's calls, or an arm's quantile and its whole interval fall on a single value.
 */
export function clusterQuantile(
  strata: readonly Stratum<ClusterBins>[],
  options: ClusterQuantileOptions,
): TestOutcome | null {
  const { quantile } = options;
  if (!hasEnoughUsers(strata, quantile) || isRuledByOneUser(strata)) return null;
  const shares = userShares(strata, binUsers);
  const bins = indexStrata(strata);
  const estimate = ({ edges, groups }: IndexedBins) => {
    const multiplicities = groups.map(({ offsets }) => onceEach(offsets.length - 1));
    return estimateQuantile({ edges, groups }, { quantile, shares, multiplicities });
  };
  const [control, treatment] = [estimate(bins.control), estimate(bins.treatment)];
  const effect = treatment.value - control.value;
  if (bins.control.edges.length === 1 && Number.isFinite(effect)) return oneValue(control.value);
  const standardError = Math.hypot(Math.sqrt(control.variance), Math.sqrt(treatment.variance));
  const statistic = effect / standardError;
  const permuted = permute(bins, options);
  if (permuted === null || !(control.variance > 0 && treatment.variance > 0)) return null;
  const df = satterthwaiteDf(
    { variance: control.variance, df: callsOf(strata, "control").effectiveUsers - 1 },
    { variance: treatment.variance, df: callsOf(strata, "treatment").effectiveUsers - 1 },
  );
  const { pValue, permutationsUsed, isAtFloor } = permuted;
  const widened = Math.max(studentTQuantile(UPPER, df), permuted.criticalValue ?? 0);
  const criticalValue = pValue > ALPHA ? Math.max(widened, Math.abs(statistic)) : widened;
  // If p is above .05, the interval must contain 0 despite rounding.
  const half = Math.max(criticalValue * standardError, pValue > ALPHA ? Math.abs(effect) : 0);
  if (!Number.isFinite(half + Math.abs(statistic))) return null;
  const [n, m] = [countUsers(strata, "control"), countUsers(strata, "treatment")];
  return {
    test: "cluster_quantile",
    statistic,
    pValue,
    permutationsUsed,
    isAtFloor,
    controlValue: control.value,
    treatmentValue: treatment.value,
    effect,
    ciLow: effect - half,
    ciHigh: effect + half,
    standardError,
    criticalValue,
    relative: fieller({ n, ...control }, { n: m, ...treatment }, criticalValue),
  };
}

/** Returns whether one user makes more than a tenth of an arm's calls, so that a quantile of calls mostly reflects that user. */
export function isRuledByOneUser(strata: readonly Stratum<ClusterBins>[]): boolean {
  const shareOf = (arm: keyof Stratum<ClusterBins>) => callsOf(strata, arm).largestShare;
  return Math.max(shareOf("control"), shareOf("treatment")) > LARGEST_CALL_SHARE;
}

/** How an arm's calls are spread over its users: the largest user's share, and (Σ D)² / Σ D². */
function callsOf(strata: readonly Stratum<ClusterBins>[], arm: keyof Stratum<ClusterBins>) {
  let [sum, squares, largest] = [0, 0, 0];
  for (const { [arm]: bins } of strata) {
    for (let user = 0; user < binUsers(bins); user++) {
      let calls = 0;
      for (let i = bins.offsets[user]!; i < bins.offsets[user + 1]!; i++) calls += bins.counts[i]!;
      sum += calls;
      squares += calls * calls;
      largest = Math.max(largest, calls);
    }
  }
  return { largestShare: largest / sum, effectiveUsers: (sum * sum) / squares };
}

function countUsers(strata: readonly Stratum<ClusterBins>[], arm: keyof Stratum<ClusterBins>): number {
  return strata.reduce((sum, stratum) => sum + binUsers(stratum[arm]), 0);
}

function hasEnoughUsers(strata: readonly Stratum<ClusterBins>[], quantile: number): boolean {
  const users = Math.min(countUsers(strata, "control"), countUsers(strata, "treatment"));
  // Rounded, so that 100 users give 10 beyond the quantile .9, not 9.999….
  const beyond = Math.round(users * Math.min(quantile, 1 - quantile) * 1e6) / 1e6;
  const areSpread = strata.every(
    ({ control, treatment }) => Math.min(binUsers(control), binUsers(treatment)) > 1,
  );
  return areSpread && beyond >= MIN_USERS_BEYOND;
}

/** Gives the bins of both arms a common numbering. */
function indexStrata(strata: readonly Stratum<ClusterBins>[]): Stratum<IndexedBins> {
  const controls = strata.map(({ control }) => control);
  const treatments = strata.map(({ treatment }) => treatment);
  const { edges, groups } = indexBins([...controls, ...treatments]);
  return {
    control: { edges, groups: groups.slice(0, strata.length) },
    treatment: { edges, groups: groups.slice(strata.length) },
  };
}

/** Permutes whole users within strata; scores at the pooled quantile do not depend on the arms. */
function permute(
  { control, treatment }: Stratum<IndexedBins>,
  { quantile, ...options }: ClusterQuantileOptions,
): PermutationOutcome | null {
  const mass = new Float64Array(control.edges.length);
  for (const group of [...control.groups, ...treatment.groups])
    addMass(mass, group, { times: onceEach(group.offsets.length - 1), weight: 1 });
  const pooled = locate(mass, quantile);
  const strata = control.groups.map((group, i) => ({
    control: quantileScores(group, pooled, quantile),
    treatment: quantileScores(treatment.groups[i]!, pooled, quantile),
  }));
  return permuteScores(strata, options);
}

function oneValue(value: number): TestOutcome {
  return {
    test: "cluster_quantile",
    statistic: null,
    pValue: 1,
    ...CLOSED_FORM,
    controlValue: value,
    treatmentValue: value,
    effect: 0,
    ciLow: null,
    ciHigh: null,
    standardError: null,
    criticalValue: null,
    relative: fieller({ n: 0, value, variance: 0 }, { n: 0, value, variance: 0 }, null),
  };
}
