import { sumOf } from "../sum-of.ts";

/** A difference, with its weight and its user. */
export interface WeightedDifference {
  /** The user, as a whole number chosen by the caller. */
  readonly cluster: number;
  /** Above 0, in any unit. */
  readonly weight: number;
  readonly value: number;
}

/** The mean of paired differences, with its cluster-robust error. */
export interface ClusteredMean {
  readonly mean: number;
  /** 0 without any spread and without a `reach`. */
  readonly standardError: number;
  /** Of Student's t, at least 1. */
  readonly df: number;
  /** Number of users. */
  readonly clusters: number;
}

/** With fewer users who have a difference, the frequency of differences is not known well. */
const MIN_CHANGED_USERS = 20;

/** A standard error below this share of the mean is a rounding error. */
const ROUNDING = 1e-12;

/**
 * Computes the weighted mean of paired differences if users have several, with the cluster-robust error. A user's weighted residuals are
 * summed, and the square is scaled to be unbiased for independent differences of equal variance (CR2: Bell & McCaffrey 2002). The degrees
 * of freedom are the effective number of users minus one, (Σ γ)² / Σ γ² (Carter, Schnepel & Steigerwald 2017). γ is a user's contribution
 * to the variance if all differences of one user have a common correlation, estimated from the residuals (as in Imbens & Kolesár 2016).
 * `reach` is the largest possible difference. If few users have a difference, or all have the same, the error allows for differences that
 * were not observed (`unseenVariance`). Null for fewer than two users.
 */
export function clusteredMean(
  differences: readonly WeightedDifference[],
  { reach = 0 }: { readonly reach?: number } = {},
): ClusteredMean | null {
  const total = sumOf(differences.map(({ weight }) => weight));
  const mean = sumOf(differences.map(({ weight, value }) => weight * value)) / total;
  const users = sumByUser(differences, mean, total);
  if (users.length < 2) return null;
  const allSquares = sumOf(users.map(({ squares }) => squares));
  const variance = sumOf(users.map((user) => user.residual ** 2 * leverageFactor(user, allSquares)));
  const isFewChanged = users.filter(({ isChanged }) => isChanged).length < MIN_CHANGED_USERS;
  const effective = 1 / sumOf(users.map(({ share }) => share * share));
  const own = Math.sqrt(variance) > ROUNDING * Math.abs(mean) ? variance : 0;
  return {
    mean,
    standardError: Math.sqrt(own + (isFewChanged || own === 0 ? unseenVariance(reach, effective) : 0)),
    df: Math.max(1, effectiveUsers(users) - 1),
    clusters: users.length,
  };
}

/**
 * Computes the variance that four unobserved users would add: two with the largest gain and two with the largest loss (Agresti & Coull
 * 1998). This covers effects that cannot be excluded because no case was observed.
 */
export function unseenVariance(reach: number, users: number): number {
  return 4 * (reach / users) ** 2;
}

/** A user's sums. Weights are shares of all weights. */
interface UserSum {
  units: number;
  share: number;
  /** Sum of the squared weights. */
  squares: number;
  /** The contribution of the user's residuals to the mean. */
  residual: number;
  /** For the correlation: the sum of the residuals without weights, and of their squares. */
  sum: number;
  sumOfSquares: number;
  isChanged: boolean;
}

function sumByUser(differences: readonly WeightedDifference[], mean: number, total: number): UserSum[] {
  const users = new Map<number, UserSum>();
  for (const { cluster, weight, value } of differences) {
    let user = users.get(cluster);
    if (user === undefined) {
      user = { units: 0, share: 0, squares: 0, residual: 0, sum: 0, sumOfSquares: 0, isChanged: false };
      users.set(cluster, user);
    }
    const [share, residual] = [weight / total, value - mean];
    user.units += 1;
    user.share += share;
    user.squares += share * share;
    user.residual += share * residual;
    user.sum += residual;
    user.sumOfSquares += residual * residual;
    user.isChanged ||= value !== 0;
  }
  return [...users.values()];
}

/** The CR2 factor: a user's part of the variance, divided by the expected square of the user's residuals. */
function leverageFactor({ share, squares }: UserSum, allSquares: number): number {
  return squares / (squares * (1 - share) ** 2 + share * share * (allSquares - squares));
}

/** Computes how many users of equal weight would give the variance estimate the same precision. */
function effectiveUsers(users: readonly UserSum[]): number {
  const units = sumOf(users.map((user) => user.units));
  const variance = sumOf(users.map(({ sumOfSquares }) => sumOfSquares)) / units || 1;
  const products = sumOf(users.map(({ sum, sumOfSquares }) => sum * sum - sumOfSquares)) / variance;
  const pairs = sumOf(users.map((user) => user.units * (user.units - 1)));
  const correlation = Math.min(1, Math.max(0, products / Math.max(1, pairs)));
  const parts = users.map(({ share, squares }) => (1 - correlation) * squares + correlation * share * share);
  return sumOf(parts) ** 2 / sumOf(parts.map((part) => part * part));
}
