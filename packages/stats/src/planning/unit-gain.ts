import type { ClusteredScores } from "../clusters/cluster-error.ts";
import { numberClusters } from "../clusters/number-clusters.ts";
import { sumOf } from "../sum-of.ts";

/** Users with several units each, of which two of the same user have the correlation `rho` (0 to 1). */
export interface UnitsOfUsers {
  /** At least 1. If users have unequal numbers, the number for the user of an average unit (`unitsOfOwner`). */
  readonly unitsPerUser: number;
  readonly rho: number;
}

/**
 * Computes the variance of a difference of two means over `units` units, if users are randomized and if units are. It is relative to
 * s² (1 / n_T + 1 / n_C), with the variance s² of one unit and n units per arm.
 *
 * Randomized users: 1 + (m − 1) ρ, the design effect (Kish 1965). Randomized units: a user's number of units in an arm is hypergeometric,
 * so with N units the users' levels add ρ (N − m) / (N − 1). The units themselves add 1 − ρ, which gives 1 − ρ (m − 1) / (N − 1). For many
 * users this is 1, whatever ρ is: levels cancel on average but not in each experiment, because a user's units rarely split evenly. The
 * variance would be 1 − ρ only if every user's units split evenly.
 */
export function varianceByUnit(
  { unitsPerUser, rho }: UnitsOfUsers,
  units: number,
): { readonly users: number; readonly units: number } {
  return {
    users: 1 + (unitsPerUser - 1) * rho,
    units: 1 - (rho * (unitsPerUser - 1)) / Math.max(1, units - 1),
  };
}

/** Computes how many units the user of an average unit has: Σ m² / Σ m (Kish 1965), at least the users' mean. NaN without units. */
export function unitsOfOwner(clusters: Float64Array): number {
  const { groups, count } = numberClusters([clusters]);
  const sizes = new Float64Array(count);
  for (const user of groups[0]!) sizes[user]! += 1;
  return sumOf(sizes.map((size) => size * size)) / clusters.length;
}

/** Computes how many times fewer units an experiment with many users needs if units are randomized instead of users. */
export function unitGain({ unitsPerUser, rho }: UnitsOfUsers): number {
  return varianceByUnit({ unitsPerUser, rho }, Number.POSITIVE_INFINITY).users;
}

/**
 * Estimates the correlation of two units of one user, 0 to 1, by analysis of variance (Fisher 1925; unequal users as in Donner 1986).
 * Units may differ on average between groups, such as arms. Null if no user has several units in a group, if the groups have fewer
 * than two users, or without spread.
 */
export function intraUserCorrelation(groups: readonly ClusteredScores[]): number | null {
  let [between, within, freeUsers, freeUnits, extra] = [0, 0, 0, 0, 0];
  for (const { scores, clusters } of groups) {
    const { groups: numbers, count } = numberClusters([clusters]);
    const users = numbers[0]!;
    const [sizes, sums] = [new Float64Array(count), new Float64Array(count)];
    for (const [unit, user] of users.entries()) {
      sizes[user]! += 1;
      sums[user]! += scores[unit]!;
    }
    const mean = sumOf(scores) / scores.length;
    for (const [unit, user] of users.entries()) within += (scores[unit]! - sums[user]! / sizes[user]!) ** 2;
    between += sumOf(sizes.map((size, user) => size * (sums[user]! / size - mean) ** 2));
    freeUsers += Math.max(0, count - 1);
    freeUnits += scores.length - count;
    extra += scores.length - sumOf(sizes.map((size) => size * size)) / Math.max(1, scores.length);
  }
  if (freeUsers === 0 || freeUnits === 0) return null;
  const [ofUsers, ofUnits] = [between / freeUsers, within / freeUnits];
  const total = ofUsers + (extra / freeUsers - 1) * ofUnits;
  return total > 0 ? Math.max(0, (ofUsers - ofUnits) / total) : null;
}
