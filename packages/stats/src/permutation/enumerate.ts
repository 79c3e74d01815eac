import type { Sums } from "./arm-sums.ts";
import type { Statistics } from "./p-value.ts";
import {
  addDifferences,
  type Difference,
  differenceOf,
  type PooledStratum,
  studentise,
} from "./pooled-stratum.ts";

/** A stratum and the score of every user, in any order. */
export interface EnumeratedStratum {
  readonly stratum: PooledStratum;
  readonly scores: Float64Array;
}

/** Counts the ways to relabel the users of the strata while keeping the size of each arm. */
export function countRelabelings(strata: readonly PooledStratum[]): number {
  return strata.reduce(
    (ways, { firstSize, secondSize }) => ways * choose(firstSize + secondSize, firstSize),
    1,
  );
}

/** Computes |t| under every relabeling of the strata. */
export function enumerateStatistics(strata: readonly EnumeratedStratum[]): Statistics {
  const differences = strata
    .map(relabel)
    .reduce((sums, added) => sums.flatMap((sum) => added.map((next) => addDifferences(sum, next))));
  const sizes = Float64Array.from(differences, (difference) => Math.abs(studentise(difference)));
  return { sizes, hasObserved: true };
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k && Number.isFinite(ways); i++) ways = Math.round((ways * (n - k + i)) / i);
  return ways;
}

function relabel({ stratum, scores }: EnumeratedStratum): Difference[] {
  const differences: Difference[] = [];
  const members = Array.from({ length: stratum.firstSize }, (_, i) => i);
  do {
    differences.push(differenceOf(stratum, sumUpArms(scores, members)));
  } while (advance(members, scores.length));
  return differences;
}

/** Sums each arm separately in the same order, so that a split and its mirror image tie to the last bit. */
function sumUpArms(scores: Float64Array, members: readonly number[]): { first: Sums; second: Sums } {
  const first = { sum: 0, squares: 0 };
  const second = { sum: 0, squares: 0 };
  let found = 0;
  for (let user = 0; user < scores.length; user++) {
    const isMember = members[found] === user;
    if (isMember) found++;
    const arm = isMember ? first : second;
    const score = scores[user]!;
    arm.sum += score;
    arm.squares += score * score;
  }
  return { first, second };
}

/** Advances to the next combination in lexicographic order; false after the last. */
function advance(members: number[], users: number): boolean {
  const size = members.length;
  const movable = members.findLastIndex((member, i) => member < users - size + i);
  if (movable < 0) return false;
  const start = members[movable]! + 1;
  for (let i = movable; i < size; i++) members[i] = start + i - movable;
  return true;
}
