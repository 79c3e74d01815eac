import type { Sums } from "./arm-sums.ts";

/** An arm's spread below this share of the stratum's squares is a cancellation error. */
const ROUNDING = 1e-12;
/** An origin keeps about this many binary digits of the range: sums of whole scores stay exact. */
const ORIGIN_STEPS = 1024;

/**
 * Both arms of a stratum, named first and second. The first is the smaller one (if equal, the one with the lower scores in the
 * order given), so that swapping control and treatment changes only `sign`. Scores are measured from an origin near the stratum's
 * mean, in units of a power of two that all strata share.
 */
export interface PooledStratum {
  readonly firstSize: number;
  readonly secondSize: number;
  /** 1 when the first arm is the treatment, −1 when it is control. */
  readonly sign: 1 | -1;
  /** The stratum's share of all users. */
  readonly share: number;
  /** The sums as observed. */
  readonly first: Sums;
  readonly second: Sums;
}

/** All strata of a test and the unit of their scores. */
export interface Pooled<S extends PooledStratum> {
  readonly strata: readonly S[];
  readonly unit: number;
}

/** A difference of two means and the square of its standard error. */
export interface Difference {
  readonly difference: number;
  readonly variance: number;
}

/** Computes a stratum's contribution to treatment − control, given its arms' sums; the variance is Welch's. */
export function differenceOf(
  { firstSize, secondSize, sign, share }: PooledStratum,
  { first, second }: { readonly first: Sums; readonly second: Sums },
): Difference {
  const rounding = ROUNDING * (first.squares + second.squares);
  const variance = varianceOfMean(firstSize, first, rounding) + varianceOfMean(secondSize, second, rounding);
  const difference = first.sum / firstSize - second.sum / secondSize;
  return { difference: share * sign * difference, variance: share * share * variance };
}

/** Adds up two strata. */
export function addDifferences(a: Difference, b: Difference): Difference {
  return { difference: a.difference + b.difference, variance: a.variance + b.variance };
}

/** Studentizes a difference: 0 / 0 is 0, and any other difference without spread is infinite. */
export function studentise({ difference, variance }: Difference): number {
  return difference === 0 ? 0 : difference / Math.sqrt(variance);
}

/** Returns the power of two that scores are measured in; no score exceeds `size` ≥ 0. Dividing by a power of two is exact. */
export function unitOf(size: number): number {
  return 2 ** Math.max(-1022, Math.floor(Math.log2(size)));
}

/**
 * Chooses the origin of a stratum's scores: their mean, rounded to a few binary digits of their range so that sums of scores lose
 * no digits, or the common value if all are equal.
 */
export function originOf({ mean, min, max }: { mean: number; min: number; max: number }): number {
  if (min === max) return min;
  const step = unitOf(max - min) / ORIGIN_STEPS;
  return Math.round(mean / step) * step;
}

/** Returns whether a stratum has two different scores. If all are equal, they lie at its origin. */
export function hasSpread({ first, second }: PooledStratum): boolean {
  return first.squares + second.squares > 0;
}

function varianceOfMean(n: number, { sum, squares }: Sums, rounding: number): number {
  const spread = squares - (sum / n) * sum;
  return spread > rounding ? spread / (n - 1) / n : 0;
}
