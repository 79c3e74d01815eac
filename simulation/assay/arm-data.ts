import { type BinaryCounts, type ClusterBins, fineBin } from "@assay/stats";
import type { Calls, RatioUser } from "../populations/calls.ts";

/** Puts the users' values into an array. */
export function toValues(users: readonly number[]): Float64Array {
  return Float64Array.from(users);
}

/** Puts the users' sums and counts into two arrays. */
export function toPairs(users: readonly RatioUser[]): { readonly y: Float64Array; readonly d: Float64Array } {
  return { y: Float64Array.from(users, ({ y }) => y), d: Float64Array.from(users, ({ d }) => d) };
}

/** Counts the users whose value is not 0. */
export function toCounts(users: readonly number[]): BinaryCounts {
  return { n: users.length, successes: users.filter((value) => value !== 0).length };
}

/** Counts each user's calls by fine bin. */
export function toBins(users: readonly Calls[]): ClusterBins {
  const entries = users.map((calls) => [...binCounts(calls)].sort(([a], [b]) => a - b));
  const offsets = new Uint32Array(users.length + 1);
  for (const [user, own] of entries.entries()) offsets[user + 1] = offsets[user]! + own.length;
  const flat = entries.flat();
  return {
    bins: Int32Array.from(flat, ([bin]) => bin),
    counts: Uint32Array.from(flat, ([, count]) => count),
    offsets,
  };
}

function binCounts(calls: Calls): Map<number, number> {
  const counts = new Map<number, number>();
  for (const call of calls) counts.set(fineBin(call), (counts.get(fineBin(call)) ?? 0) + 1);
  return counts;
}
