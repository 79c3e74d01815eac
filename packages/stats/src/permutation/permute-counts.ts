import { type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { type ArmSampler, emptySums, type Sums } from "./arm-sums.ts";
import { drawMarked } from "./hypergeometric.ts";
import { type PermutationOutcome, permuteStrata } from "./permute-strata.ts";
import { hasSpread, originOf, type Pooled, type PooledStratum, unitOf } from "./pooled-stratum.ts";
import type { PermutationOptions } from "./sample-statistics.ts";

/** An arm's counts by value: how many users have it, a whole number of at least 0. */
export type ValueCounts = ReadonlyMap<number, number>;

/** A pooled stratum by value. */
interface PooledCounts extends PooledStratum {
  /** Relative to the origin, ascending. */
  readonly values: readonly number[];
  /** Users of both arms. */
  readonly totals: readonly number[];
}

/** Tests like `permuteScores` if there are few different values. The cost does not depend on the number of users. */
export function permuteCounts(
  strata: readonly Stratum<ValueCounts>[],
  options: PermutationOptions,
): PermutationOutcome | null {
  const pooled = poolCounts(strata);
  return (
    pooled &&
    permuteStrata(
      pooled,
      {
        toScores: ({ values, totals }) =>
          Float64Array.from(values.flatMap((value, i) => new Array<number>(totals[i]!).fill(value))),
        toSampler: (stratum) => countSampler(stratum, stratum.firstSize),
      },
      options,
    )
  );
}

function poolCounts(strata: readonly Stratum<ValueCounts>[]): Pooled<PooledCounts> | null {
  const arms = strata.flatMap(({ control, treatment }) => [control, treatment]);
  if (arms.some((arm) => countUsers(arm) < 2)) return null;
  const size = Math.max(0, ...arms.flatMap((arm) => [...arm.keys()].map(Math.abs)));
  if (!Number.isFinite(size)) return null;
  const unit = unitOf(size);
  const shares = userShares(strata, countUsers);
  const pooled = strata.map((stratum, i) => pool(stratum, shares[i]!, unit));
  return pooled.some(hasSpread) ? { strata: pooled, unit } : null;
}

function countUsers(arm: ValueCounts): number {
  return [...arm.values()].reduce((sum, count) => sum + count, 0);
}

function pool({ control, treatment }: Stratum<ValueCounts>, share: number, unit: number): PooledCounts {
  const totals = new Map([...control, ...treatment].map(([value]) => [value, 0]));
  for (const [value, count] of [...control, ...treatment]) totals.set(value, totals.get(value)! + count);
  const ordered = [...totals].filter(([, total]) => total > 0).sort(([a], [b]) => a - b);
  const countsOf = (arm: ValueCounts) => ordered.map(([value]) => arm.get(value) ?? 0);
  const [c, t] = [countsOf(control), countsOf(treatment)];
  const isControlFirst = comesFirst(c, t);
  const [first, second] = isControlFirst ? [c, t] : [t, c];
  const values = centre(ordered, unit);
  return {
    values,
    totals: ordered.map(([, total]) => total),
    firstSize: sumOf(first),
    secondSize: sumOf(second),
    sign: isControlFirst ? -1 : 1,
    share,
    first: sumUp(values, first),
    second: sumUp(values, second),
  };
}

/**
 * Returns whether arm a is smaller. If both are equal, the arm with fewer users at the lowest value where they differ
 * counts as smaller.
 */
function comesFirst(a: readonly number[], b: readonly number[]): boolean {
  const gap =
    sumOf(a) - sumOf(b) || a.map((count, i) => count - b[i]!).find((difference) => difference !== 0);
  return gap !== undefined && gap < 0;
}

function centre(ordered: readonly (readonly [value: number, total: number])[], unit: number): number[] {
  const users = sumOf(ordered.map(([, total]) => total));
  const mean = sumOf(ordered.map(([value, total]) => (value / unit) * (total / users)));
  const origin = originOf({ mean, min: ordered[0]![0] / unit, max: ordered.at(-1)![0] / unit });
  return ordered.map(([value]) => value / unit - origin);
}

function sumUp(values: readonly number[], counts: readonly number[]): Sums {
  return {
    sum: sumOf(values.map((value, i) => counts[i]! * value)),
    squares: sumOf(values.map((value, i) => counts[i]! * value * value)),
  };
}

/** Values and how many users of both arms have each. */
export interface ValueTotals {
  readonly values: readonly number[];
  readonly totals: readonly number[];
}

/**
 * Samples how many of each value the first arm gets: a multivariate hypergeometric vector, value by value. Each value costs as
 * much as thousands of users drawn one by one, however many users have it.
 */
export function countSampler({ values, totals }: ValueTotals, size: number): ArmSampler {
  const users = totals.reduce((a, b) => a + b, 0);
  return (stream, relabelings) => {
    const sums = emptySums(relabelings);
    for (let p = 0; p < relabelings; p++) {
      let [others, drawn] = [users, size];
      for (let i = 0; i < values.length; i++) {
        const marked = totals[i]!;
        others -= marked;
        const count = drawMarked({ marked, others, drawn }, stream);
        drawn -= count;
        sums.sum[p]! += count * values[i]!;
        sums.squares[p]! += count * values[i]! * values[i]!;
      }
    }
    return sums;
  };
}
