import { type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { degreesOfFreedom, type UserSums } from "./effective-users.ts";
import { countClusters, numberClusters } from "./number-clusters.ts";

/** An arm's units in a stratum: each unit's contribution to the arm's mean, and a number that all units of one user share. */
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
 * covariance between the arms is included. Each arm's sum is divided by √(1 − the user's share of the arm's units) (CR2: Bell &
 * McCaffrey 2002). This makes the variance unbiased for independent units, and equal to Welch's if every user has one unit. The degrees
 * of freedom are the effective number of users minus one: (Σ γ)² / Σ γ² (Carter, Schnepel & Steigerwald 2017). γ is the contribution of
 * a user's units to the variance if a user's units have one correlation within an arm and another one across arms, both estimated from
 * the products of residuals (as in Imbens & Kolesár 2016).
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
    df: degreesOfFreedom([{ control, treatment }]),
  };
}

/** Sums the scores of each user's units in an arm, measured from the arm's mean. Used for the skewness over users. */
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

interface ArmSum extends UserSums {
  /** Their contribution to the arm's mean. */
  readonly shift: Float64Array;
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

/** The CR2 factor for a user with `size` of the arm's n units. 0 if the user has all units, whose residuals sum to 0. */
export function leverageFactor(size: number, n: number): number {
  return size < n ? 1 / Math.sqrt(1 - size / n) : 0;
}
