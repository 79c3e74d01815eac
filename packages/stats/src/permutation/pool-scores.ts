import { type Stratum, userShares } from "../strata.ts";
import type { Sums } from "./arm-sums.ts";
import { hasSpread, originOf, type Pooled, type PooledStratum, unitOf } from "./pooled-stratum.ts";

/** From this share of zeros on, a stratum is measured from 0, so that only users with other values need relabeling. */
const ZERO_SHARE = 0.7;

/** A pooled stratum with the scores of its users, those of the first arm first. */
export interface PooledScores extends PooledStratum {
  readonly scores: Float64Array;
}

/**
 * Pools the arms of each stratum. Null when there is none, an arm has fewer than two users, a score is not finite, or no
 * stratum has two different scores.
 */
export function poolScores(strata: readonly Stratum<Float64Array>[]): Pooled<PooledScores> | null {
  const arms = strata.flatMap(({ control, treatment }) => [control, treatment]);
  if (arms.some((arm) => arm.length < 2)) return null;
  const size = arms.map(largestSize).reduce((a, b) => Math.max(a, b), 0);
  if (!Number.isFinite(size)) return null;
  const unit = unitOf(size);
  const shares = userShares(strata, ({ length }) => length);
  const pooled = strata.map((stratum, i) => pool(stratum, shares[i]!, unit));
  return pooled.some(hasSpread) ? { strata: pooled, unit } : null;
}

/** Largest absolute score; not finite when a score is not. */
function largestSize(arm: Float64Array): number {
  let size = 0;
  for (const score of arm) size = Math.max(size, Math.abs(score));
  return size;
}

function pool({ control, treatment }: Stratum<Float64Array>, share: number, unit: number): PooledScores {
  const isControlFirst = comesFirst(control, treatment);
  const [first, second] = isControlFirst ? [control, treatment] : [treatment, control];
  const scores = new Float64Array(first.length + second.length);
  scores.set(first);
  scores.set(second, first.length);
  centre(scores, unit);
  return {
    scores,
    firstSize: first.length,
    secondSize: second.length,
    sign: isControlFirst ? -1 : 1,
    share,
    first: sumUp(scores.subarray(0, first.length)),
    second: sumUp(scores.subarray(first.length)),
  };
}

function comesFirst(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const differs = a.findIndex((score, i) => score !== b[i]);
  return a[differs]! < b[differs]!;
}

function centre(scores: Float64Array, unit: number): void {
  let [sum, zeros, min, max] = [0, 0, Infinity, -Infinity];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]! / unit;
    scores[i] = score;
    sum += score;
    if (score === 0) zeros++;
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  const isZeroInflated = zeros > ZERO_SHARE * scores.length;
  const origin = isZeroInflated ? 0 : originOf({ mean: sum / scores.length, min, max });
  for (let i = 0; i < scores.length; i++) scores[i]! -= origin;
}

function sumUp(scores: Float64Array): Sums {
  let [sum, squares] = [0, 0];
  for (const score of scores) {
    sum += score;
    squares += score * score;
  }
  return { sum, squares };
}
