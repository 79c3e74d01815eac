import { createStream, type RandomStream } from "../random.ts";
import type { ArmSampler } from "./arm-sums.ts";
import type { Statistics } from "./p-value.ts";
import {
  addDifferences,
  type Difference,
  differenceOf,
  type PooledStratum,
  studentise,
} from "./pooled-stratum.ts";

const BATCH = 512;
/** Above this many users, labels are drawn in smaller batches to save memory. */
const MANY_USERS = 1_000_000;
const SMALL_BATCH = 128;
/** After this many draws, and then after each one, check whether enough of them were exceedances (Besag & Clifford 1991). */
const FIRST_LOOK = 999;
const ENOUGH = 100;

/** A stratum and how to draw its relabelings. */
export interface SampledStratum {
  readonly stratum: PooledStratum;
  readonly sampler: ArmSampler;
}

/** Options of permutation tests. */
export interface PermutationOptions {
  /** The maximum number of random relabelings. */
  readonly permutations: number;
  /** 32 bits. Seed and data determine every draw. */
  readonly seed: number;
  /** Draws all relabelings even if p is clearly large. For an interval that a decision depends on. */
  readonly isComplete?: boolean | undefined;
}

/** Draws the given number of relabelings, and returns |t| under each. */
export type DrawStatistics = (stream: RandomStream, relabelings: number) => Float64Array;

/** A threshold of |t|, and the number of users that are relabeled. */
export interface Sampling {
  readonly threshold: number;
  readonly users: number;
}

/** Computes |t| under random relabelings of strata as `drawUntilClear` does. */
export function sampleStatistics(
  strata: readonly SampledStratum[],
  threshold: number,
  options: PermutationOptions,
): Statistics {
  const users = strata.reduce((sum, { stratum }) => sum + stratum.firstSize + stratum.secondSize, 0);
  return drawUntilClear(
    (stream, relabelings) => drawBatch(strata, stream, relabelings),
    { threshold, users },
    options,
  );
}

/**
 * Computes |t| under random relabelings until p is clearly large: after 999 draws if 100 of them reach the threshold, otherwise at
 * the 100th draw that reaches it (Besag & Clifford 1991). Each batch of draws has its own stream, so that batches are independent
 * of each other.
 */
export function drawUntilClear(
  draw: DrawStatistics,
  { threshold, users }: Sampling,
  { permutations, seed, isComplete = false }: PermutationOptions,
): Statistics {
  const size = users > MANY_USERS ? SMALL_BATCH : BATCH;
  const sizes = new Float64Array(permutations);
  let [draws, exceedances] = [0, 0];
  for (let batch = 0; draws < permutations; batch++) {
    const stream = createStream(seed ^ Math.imul(batch, 0x85ebca6b));
    for (const statistic of draw(stream, Math.min(size, permutations - draws))) {
      sizes[draws++] = statistic;
      if (statistic >= threshold) exceedances++;
      if (!isComplete && exceedances >= ENOUGH && draws >= FIRST_LOOK)
        return { sizes: sizes.subarray(0, draws), hasObserved: draws > FIRST_LOOK };
    }
  }
  return { sizes, hasObserved: false };
}

function drawBatch(
  strata: readonly SampledStratum[],
  stream: RandomStream,
  relabelings: number,
): Float64Array {
  const differences = new Array<Difference>(relabelings).fill({ difference: 0, variance: 0 });
  for (const { stratum, sampler } of strata) {
    const { sum, squares } = sampler(stream, relabelings);
    const total = {
      sum: stratum.first.sum + stratum.second.sum,
      squares: stratum.first.squares + stratum.second.squares,
    };
    for (let p = 0; p < relabelings; p++) {
      const first = { sum: sum[p]!, squares: squares[p]! };
      const second = { sum: total.sum - first.sum, squares: total.squares - first.squares };
      differences[p] = addDifferences(differences[p]!, differenceOf(stratum, { first, second }));
    }
  }
  return Float64Array.from(differences, (difference) => Math.abs(studentise(difference)));
}
