import { Z } from "../level.ts";
import { addMass, type IndexedBins, locate, quantileScores, valueAt } from "./indexed-bins.ts";

/** A quantile and the variance of that estimate: 0 or NaN when the data do not determine it. */
export interface QuantileEstimate {
  readonly value: number;
  readonly variance: number;
}

/** How one arm's groups, one per stratum, are combined. */
export interface QuantileOptions {
  readonly quantile: number;
  /** Each stratum's share of all users of both arms. */
  readonly shares: readonly number[];
  /** How often each user counts, by stratum. */
  readonly multiplicities: readonly Uint8Array[];
}

/**
 * Estimates a quantile of calls with users as clusters. F is the distribution of calls, with strata weighted by their users. Its
 * variance V at the quantile gives the points L, U = F⁻¹(quantile ∓ 1.96 √V) and the standard error (U − L) / 3.92 (Deng,
 * Knoblich & Lu 2018, "outer" interval). The variance is NaN if L or U lies outside the data, or without calls.
 */
export function estimateQuantile(arm: IndexedBins, options: QuantileOptions): QuantileEstimate {
  const { quantile } = options;
  if (arm.edges.length === 0) return { value: Number.NaN, variance: Number.NaN };
  const groups = weighGroups(arm, options);
  const mass = new Float64Array(arm.edges.length);
  for (const part of groups) addMass(mass, part.group, part);
  const position = locate(mass, quantile);
  const total = mass.reduce((sum, part) => sum + part, 0);
  const spread = groups
    .map(({ group, times, weight, users }) => {
      const scores = quantileScores(group, position, quantile);
      return weight ** 2 * (users / (users - 1)) * centredSquares(scores, times, users);
    })
    .reduce((a, b) => a + b);
  const reach = (Z * Math.sqrt(spread)) / total;
  const [low, high] = [quantile - reach, quantile + reach];
  const isWithin = low > 0 && high < 1;
  const bound = (share: number) => valueAt(arm, locate(mass, share));
  const standardError = isWithin ? (bound(high) - bound(low)) / (2 * Z) : Number.NaN;
  return { value: valueAt(arm, position), variance: standardError ** 2 };
}

/**
 * Computes each user's contribution to an arm's quantile: scores whose mean, with strata weighted by their shares, has the variance of
 * the estimate if users are independent. `estimate` comes from `estimateQuantile` and has a variance above 0.
 */
export function quantileInfluence(
  arm: IndexedBins,
  options: QuantileOptions,
  estimate: QuantileEstimate,
): Float64Array[] {
  const { quantile, shares } = options;
  const groups = weighGroups(arm, options);
  const mass = new Float64Array(arm.edges.length);
  for (const part of groups) addMass(mass, part.group, part);
  const position = locate(mass, quantile);
  const scores = groups.map(({ group }) => quantileScores(group, position, quantile));
  const variance = groups
    .map(({ times, users }, i) => {
      const spread = centredSquares(scores[i]!, times, users);
      return (shares[i]! / users) ** 2 * (users / (users - 1)) * spread;
    })
    .reduce((a, b) => a + b);
  const scale = -Math.sqrt(estimate.variance / variance);
  return scores.map((group) => group.map((score) => scale * score));
}

/** Weights a group's users so that the group counts as much as its stratum. With one stratum, each user has weight 1. */
function weighGroups({ groups }: IndexedBins, { shares, multiplicities }: QuantileOptions) {
  const users = multiplicities.map((times) => times.reduce((sum, n) => sum + n, 0));
  const all = users.reduce((sum, n) => sum + n, 0);
  return groups.map((group, i) => ({
    group,
    times: multiplicities[i]!,
    users: users[i]!,
    weight: (shares[i]! * all) / users[i]!,
  }));
}

function centredSquares(scores: Float64Array, times: Uint8Array, users: number): number {
  let [sum, squares] = [0, 0];
  for (let user = 0; user < times.length; user++) sum += times[user]! * scores[user]!;
  const mean = sum / users;
  for (let user = 0; user < times.length; user++) squares += times[user]! * (scores[user]! - mean) ** 2;
  return squares;
}
