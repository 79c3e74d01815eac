import type { Sums } from "./arm-sums.ts";

/** The part of a stratum's squares below which an arm's spread is what cancellation leaves. */
const ROUNDING = 1e-12;
/** An origin keeps about this many binary digits of the range: sums of whole scores stay exact. */
const ORIGIN_STEPS = 1024;

/**
 * Both arms of a stratum, under the names of first and second: the first is the smaller one (of equals, the one with the
 * lower scores in the order given), so that swapping control and treatment changes nothing but `sign`. Scores are in units
 * of a power of two that all strata share, measured from an origin near the stratum's mean.
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

/** Computes what a stratum adds to treatment − control when its arms have these sums; the variance is Welch's. */
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

/** Studentises a difference: 0 / 0 is 0, and any other difference without spread is infinite. */
export function studentise({ difference, variance }: Difference): number {
  return difference === 0 ? 0 : difference / Math.sqrt(variance);
}

/** Returns the power of two that scores are measured in; no score exceeds `size` ≥ 0. Dividing by a power of two is exact. */
export function unitOf(size: number): number {
  return 2 ** Math.max(-1022, Math.floor(Math.log2(size)));
}

/**
 * Chooses the origin of a stratum's scores: their mean, rounded to few binary digits of their range so that it costs the
 * sums of the scores no digits; or the one value that all have.
 */
export function originOf({ mean, min, max }: { mean: number; min: number; max: number }): number {
  if (min === max) return min;
  const step = unitOf(max - min) / ORIGIN_STEPS;
  return Math.round(mean / step) * step;
}

/** Returns whether a stratum has two different scores; those of one value are all at its origin. */
export function hasSpread({ first, second }: PooledStratum): boolean {
  return first.squares + second.squares > 0;
}

function varianceOfMean(n: number, { sum, squares }: Sums, rounding: number): number {
  const spread = squares - (sum / n) * sum;
  return spread > rounding ? spread / (n - 1) / n : 0;
}
