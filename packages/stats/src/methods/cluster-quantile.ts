import { clusterError, withClusters } from "../clusters/cluster-error.ts";
import { relativeOf } from "../clusters/cluster-robust.ts";
import { numberClusters } from "../clusters/number-clusters.ts";
import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { fieller } from "../fieller.ts";
import { ALPHA, UPPER } from "../level.ts";
import { permuteScores } from "../permutation/permute-scores.ts";
import type { PermutationOutcome } from "../permutation/permute-strata.ts";
import type { PermutationOptions } from "../permutation/sample-statistics.ts";
import { pairArms, type Stratum, satterthwaiteDf, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
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
import { estimateQuantile, type QuantileEstimate, quantileInfluence } from "./quantile-estimate.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

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
 * fewer than 10 users are on a side of the quantile, an arm of a stratum has fewer than two users, one user makes more than a tenth
 * of an arm's calls, or an arm's quantile and its whole interval fall on a single value. With clusters (per stratum, the user of each
 * unit), it permutes units, and the standard error and degrees of freedom are cluster-robust. If there are too many units to permute,
 * p comes from Student's t.
 */
export function clusterQuantile(
  strata: readonly Stratum<ClusterBins>[],
  options: ClusterQuantileOptions,
  clusters: Clusters = null,
): TestOutcome | null {
  const { quantile } = options;
  const users = {
    control: usersOf("control", strata, clusters),
    treatment: usersOf("treatment", strata, clusters),
  };
  if (!hasEnoughUsers(strata, users, quantile) || isRuledByOneUser(strata, clusters)) return null;
  const shares = userShares(strata, binUsers);
  const bins = indexStrata(strata);
  const optionsOf = ({ groups }: IndexedBins) => {
    const multiplicities = groups.map(({ offsets }) => onceEach(offsets.length - 1));
    return { quantile, shares, multiplicities };
  };
  const estimate = (arm: IndexedBins) => estimateQuantile(arm, optionsOf(arm));
  const [control, treatment] = [estimate(bins.control), estimate(bins.treatment)];
  const effect = treatment.value - control.value;
  if (bins.control.edges.length === 1 && Number.isFinite(effect)) return oneValue(control.value);
  if (!(control.variance > 0 && treatment.variance > 0)) return null;
  const influence = (arm: IndexedBins, found: QuantileEstimate) =>
    quantileInfluence(arm, optionsOf(arm), found);
  const scores = () => pairArms(influence(bins.control, control), influence(bins.treatment, treatment));
  const error = clusters && clusterError(withClusters(scores(), clusters));
  const standardError =
    error?.standardError ?? Math.hypot(Math.sqrt(control.variance), Math.sqrt(treatment.variance));
  const statistic = effect / standardError;
  const df = Math.min(
    error?.df ?? Number.POSITIVE_INFINITY,
    satterthwaiteDf(
      { variance: control.variance, df: effectiveUsers(users.control) - 1 },
      { variance: treatment.variance, df: effectiveUsers(users.treatment) - 1 },
    ),
  );
  const permuted = permute(bins, options, clusters) ?? studentsP(statistic, df);
  const { pValue, permutationsUsed, isAtFloor } = permuted;
  const widened = Math.max(studentTQuantile(UPPER, df), permuted.criticalValue ?? 0);
  const criticalValue = pValue > ALPHA ? Math.max(widened, Math.abs(statistic)) : widened;
  // If p is above .05, the interval must contain 0 despite rounding.
  const half = Math.max(criticalValue * standardError, pValue > ALPHA ? Math.abs(effect) : 0);
  if (!Number.isFinite(half + Math.abs(statistic))) return null;
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
    relative: error
      ? relativeOf({ controlValue: control.value, treatmentValue: treatment.value, criticalValue }, error)
      : fieller({ n: 0, ...control }, { n: 0, ...treatment }, criticalValue),
  };
}

/** Per stratum, the user of each unit; null if every unit is its own user. */
type Clusters = readonly Stratum<Float64Array>[] | null;

function studentsP(statistic: number, df: number) {
  return {
    pValue: floorPValue(2 * studentTSf(Math.abs(statistic), df)),
    ...CLOSED_FORM,
    criticalValue: null,
  };
}

/** Returns whether one user makes more than a tenth of an arm's calls, so that a quantile of calls mostly reflects that user. */
export function isRuledByOneUser(
  strata: readonly Stratum<ClusterBins>[],
  clusters: Clusters = null,
): boolean {
  const shareOf = (arm: Arm) => {
    const calls = usersOf(arm, strata, clusters);
    return calls.reduce((most, own) => Math.max(most, own), 0) / sumOf(calls);
  };
  return Math.max(shareOf("control"), shareOf("treatment")) > LARGEST_CALL_SHARE;
}

type Arm = keyof Stratum<ClusterBins>;

/** Counts the calls of every user of an arm. */
function usersOf(arm: Arm, strata: readonly Stratum<ClusterBins>[], clusters: Clusters): Float64Array {
  const arms = strata.map((stratum) => stratum[arm]);
  const units = new Float64Array(sumOf(arms.map(binUsers)));
  let unit = 0;
  for (const { counts, offsets } of arms) {
    for (let i = 1; i < offsets.length; i++) {
      for (let entry = offsets[i - 1]!; entry < offsets[i]!; entry++) units[unit]! += counts[entry]!;
      unit++;
    }
  }
  if (clusters === null) return units;
  const { groups, count } = numberClusters(clusters.map((stratum) => stratum[arm]));
  const users = new Float64Array(count);
  unit = 0;
  for (const group of groups) for (const user of group) users[user]! += units[unit++]!;
  return users;
}

/** (Σ D)² / Σ D² for the calls D of the users. */
function effectiveUsers(calls: Float64Array): number {
  return sumOf(calls) ** 2 / sumOf(calls.map((own) => own * own));
}

function hasEnoughUsers(
  strata: readonly Stratum<ClusterBins>[],
  { control, treatment }: Stratum<Float64Array>,
  quantile: number,
): boolean {
  const users = Math.min(control.length, treatment.length);
  // Rounded, so that 100 users give 10 beyond the quantile .9, not 9.999….
  const beyond = Math.round(users * Math.min(quantile, 1 - quantile) * 1e6) / 1e6;
  const areSpread = strata.every(
    (stratum) => Math.min(binUsers(stratum.control), binUsers(stratum.treatment)) > 1,
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
  clusters: Clusters,
): PermutationOutcome | null {
  const mass = new Float64Array(control.edges.length);
  for (const group of [...control.groups, ...treatment.groups])
    addMass(mass, group, { times: onceEach(group.offsets.length - 1), weight: 1 });
  const pooled = locate(mass, quantile);
  const strata = control.groups.map((group, i) => ({
    control: quantileScores(group, pooled, quantile),
    treatment: quantileScores(treatment.groups[i]!, pooled, quantile),
  }));
  return permuteScores(strata, options, clusters);
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
