import { type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { countClusters, numberClusters } from "./number-clusters.ts";

/** An arm's units in a stratum: what each adds to the arm's mean, and a number that is the same for all units of one user. */
export interface ClusteredScores {
  readonly scores: Float64Array;
  readonly clusters: Float64Array;
}

/** The error of the difference of two arms' (stratified) mean scores when users have several units, often in both arms. */
export interface ClusterError {
  /** The variances of the arms' means, and the covariance between them. */
  readonly control: number;
  readonly treatment: number;
  readonly covariance: number;
  readonly standardError: number;
  /** Of Student's t; NaN if no score differs from its mean. */
  readonly df: number;
}

/**
 * Computes the cluster-robust error of treatment − control. A user's residuals are summed over both arms and all strata, so the
 * covariance between the arms is part of it. Each arm's sum is divided by √(1 − the user's share of the arm's units) (CR2: Bell &
 * McCaffrey 2002), which makes the variance unbiased for independent units, and Welch's if every user has one unit. The degrees of
 * freedom are the effective number of users less one: (Σ γ)² / Σ γ² (Carter, Schnepel & Steigerwald 2017), where γ is what a user's
 * units would add to the variance if the units of one user had a common correlation within an arm and another one across the arms,
 * both estimated from the residuals' products (as in Imbens & Kolesár 2016).
 */
export function clusterError(strata: readonly Stratum<ClusteredScores>[]): ClusterError {
  const arms = [...strata.map(({ control }) => control), ...strata.map(({ treatment }) => treatment)];
  const { groups, count } = numberClusters(arms.map(({ clusters }) => clusters));
  const shares = userShares(strata, ({ scores }) => scores.length);
  const sumUp = (from: number) =>
    sumUpArm(
      shares.map((share, i) => ({ share, scores: arms[from + i]!.scores, users: groups[from + i]! })),
      count,
    );
  const [control, treatment] = [sumUp(0), sumUp(strata.length)];
  const product = (a: Float64Array, b: Float64Array) => sumOf(a.map((value, user) => value * b[user]!));
  const differences = treatment.shift.map((shift, user) => shift - control.shift[user]!);
  return {
    control: product(control.shift, control.shift),
    treatment: product(treatment.shift, treatment.shift),
    covariance: product(control.shift, treatment.shift),
    standardError: Math.sqrt(product(differences, differences)),
    df: Math.max(1, effectiveUsers(control, treatment) - 1),
  };
}

/** Sums the units of each user in an arm: for skewness, a user counts with all units, measured from the arm's mean. */
export function sumByCluster({ scores, clusters }: ClusteredScores): Float64Array {
  const { groups, count } = numberClusters([clusters]);
  return sumUpArm([{ share: 1, scores, users: groups[0]! }], count).residual;
}

/** Returns scores with their clusters. */
export function withClusters(
  strata: readonly Stratum<Float64Array>[],
  clusters: readonly Stratum<Float64Array>[],
): Stratum<ClusteredScores>[] {
  return strata.map(({ control, treatment }, i) => ({
    control: { scores: control, clusters: clusters[i]!.control },
    treatment: { scores: treatment, clusters: clusters[i]!.treatment },
  }));
}

/** Returns whether a user has more than one unit. */
export function haveSharedClusters(clusters: readonly Stratum<Float64Array>[]): boolean {
  const groups = clusters.flatMap(({ control, treatment }) => [control, treatment]);
  return countClusters(groups) < sumOf(groups.map(({ length }) => length));
}

interface NumberedScores {
  readonly share: number;
  readonly scores: Float64Array;
  readonly users: Int32Array;
}

/** An arm's sums. Arrays have an entry per user. */
interface ArmSum {
  readonly units: number;
  /** The mean square of the residuals. */
  readonly variance: number;
  /** The user's units. */
  readonly sizes: Float64Array;
  /** Sum of the user's residuals. */
  readonly residual: Float64Array;
  /** What they add to the arm's mean. */
  readonly shift: Float64Array;
  /** The sums of the weights of the user's units in the arm's mean, and of their squares. */
  readonly weight: Float64Array;
  readonly squares: Float64Array;
}

function sumUpArm(strata: readonly NumberedScores[], users: number): ArmSum {
  const column = () => new Float64Array(users);
  const arm = { sizes: column(), residual: column(), shift: column(), weight: column(), squares: column() };
  let [units, total] = [0, 0];
  for (const { share, scores, users: userOf } of strata) {
    const n = scores.length;
    const mean = sumOf(scores) / n;
    const [sizes, sums] = [column(), column()];
    for (let i = 0; i < n; i++) {
      const residual = scores[i]! - mean;
      sizes[userOf[i]!]! += 1;
      sums[userOf[i]!]! += residual;
      total += residual * residual;
    }
    units += n;
    for (let user = 0; user < users; user++) {
      const size = sizes[user]!;
      const weight = share / n;
      arm.sizes[user]! += size;
      arm.residual[user]! += sums[user]!;
      arm.shift[user]! += weight * sums[user]! * leverageFactor(size, n);
      arm.weight[user]! += weight * size;
      arm.squares[user]! += weight * weight * size;
    }
  }
  return { units, variance: total / units, ...arm };
}

/** The factor of CR2 for a user with `size` of the arm's n units. All units of an arm have no residual together. */
export function leverageFactor(size: number, n: number): number {
  return size < n ? 1 / Math.sqrt(1 - size / n) : 0;
}

/** Computes how many users of equal weight would give the variance estimate the same precision. */
function effectiveUsers(control: ArmSum, treatment: ArmSum): number {
  const { within, across } = correlations(control, treatment);
  const ofBoth = 2 * across * Math.sqrt(control.variance) * Math.sqrt(treatment.variance);
  const variances = control.weight.map((weight, user) => {
    const own = ({ variance, weight, squares }: ArmSum) =>
      variance * ((1 - within) * squares[user]! + within * weight[user]! ** 2);
    return own(control) + own(treatment) - ofBoth * weight * treatment.weight[user]!;
  });
  const sum = sumOf(variances);
  return 1 / sumOf(variances.map((variance) => (variance / sum) ** 2));
}

/** Estimates the correlation of two units of one user, within an arm and across the arms, from all such pairs. */
function correlations(control: ArmSum, treatment: ArmSum) {
  let [within, pairs, across, crossed] = [0, 0, 0, 0];
  const [ofControl, ofTreatment] = [Math.sqrt(control.variance) || 1, Math.sqrt(treatment.variance) || 1];
  for (let user = 0; user < control.sizes.length; user++) {
    const [c, t] = [control.residual[user]! / ofControl, treatment.residual[user]! / ofTreatment];
    within += c * c + t * t;
    across += c * t;
    pairs += control.sizes[user]! ** 2 + treatment.sizes[user]! ** 2;
    crossed += control.sizes[user]! * treatment.sizes[user]!;
  }
  const units = control.units + treatment.units;
  const limited = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  const correlation = limited((within - units) / Math.max(1, pairs - units), 0, 1);
  return {
    within: correlation,
    across: limited(across / Math.max(1, crossed), -correlation, correlation),
  };
}
