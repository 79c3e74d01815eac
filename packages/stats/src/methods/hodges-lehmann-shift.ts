import { type Stratum, userShares } from "../strata.ts";

/**
 * Computes the shift of treatment against control: the median of all differences between a treatment and a control user
 * (Hodges & Lehmann 1963), exactly, in O(n log n) for n users. Over several strata it takes the differences within strata,
 * weighted by the strata's shares of users. Null without strata, if an arm is empty, for NaN, or if differences overflow.
 */
export function hodgesLehmannShift(strata: readonly Stratum<Float64Array>[]): number | null {
  const shares = userShares(strata, ({ length }) => length);
  const sorted = strata.map(({ control, treatment }, i) => ({
    control: control.toSorted(),
    treatment: treatment.toSorted(),
    share: shares[i]!,
  }));
  const range = {
    low: Math.min(...sorted.map(({ control, treatment }) => treatment[0]! - control.at(-1)!)),
    high: Math.max(...sorted.map(({ control, treatment }) => treatment.at(-1)! - control[0]!)),
  };
  if (!Number.isFinite(range.high - range.low)) return null;
  const lower = smallestDifference(sorted, range, (share) => share >= 0.5);
  const upper = smallestDifference(sorted, range, (share) => share > 0.5);
  return lower + (upper - lower) / 2;
}

interface SortedStratum extends Stratum<Float64Array> {
  readonly share: number;
}

/** The smallest and the largest difference. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/** Finds, by bisection, the smallest difference at which the share of differences up to it is large enough. */
function smallestDifference(
  strata: readonly SortedStratum[],
  { low, high }: Range,
  isEnough: (share: number) => boolean,
): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = from + (to - from) / 2;
    // The middle of two neighboring numbers is one of them. It must not be the upper one, or the range would not shrink.
    const split = splitDifferences(strata, middle < to ? middle : from);
    if (isEnough(split.share)) to = split.last;
    else from = split.next;
  }
  return to;
}

interface Split {
  /** The share of differences up to the bound. */
  readonly share: number;
  /** The largest difference up to the bound, and the smallest beyond it. */
  readonly last: number;
  readonly next: number;
}

function splitDifferences(strata: readonly SortedStratum[], bound: number): Split {
  let [share, last, next] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { control, treatment, share: weight } of strata) {
    const pairs = control.length * treatment.length;
    let [count, first] = [0, 0];
    for (const value of treatment) {
      while (first < control.length && value - control[first]! > bound) first++;
      count += control.length - first;
      if (first < control.length) last = Math.max(last, value - control[first]!);
      if (first > 0) next = Math.min(next, value - control[first - 1]!);
    }
    share += weight * (count / pairs);
  }
  return { share, last, next };
}
