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
/** Labels of more users are drawn in smaller batches, for the sake of memory. */
const MANY_USERS = 1_000_000;
const SMALL_BATCH = 128;
/** Besag & Clifford 1991: look after so many draws, and then at each, whether so many were exceedances. */
const FIRST_LOOK = 999;
const ENOUGH = 100;

/** A stratum and how to draw its relabelings. */
export interface SampledStratum {
  readonly stratum: PooledStratum;
  readonly sampler: ArmSampler;
}

/** What permutation tests ask of their caller. */
export interface PermutationOptions {
  /** The most random relabelings to draw. */
  readonly permutations: number;
  /** 32 bits; with the data it decides every draw. */
  readonly seed: number;
  /** Draws all of them, however clear it is that p is large: for an interval that a decision rests on. */
  readonly isComplete?: boolean | undefined;
}

/**
 * Computes |t| under random relabelings until it is clear that p is large: after 999 draws when 100 of them reach the
 * threshold, else at the draw that is the 100th to reach it (Besag & Clifford 1991). Each batch of draws has a stream of its
 * own, so that batches do not depend on each other.
 */
export function sampleStatistics(
  strata: readonly SampledStratum[],
  threshold: number,
  { permutations, seed, isComplete = false }: PermutationOptions,
): Statistics {
  const users = strata.reduce((sum, { stratum }) => sum + stratum.firstSize + stratum.secondSize, 0);
  const size = users > MANY_USERS ? SMALL_BATCH : BATCH;
  const sizes = new Float64Array(permutations);
  let [draws, exceedances] = [0, 0];
  for (let batch = 0; draws < permutations; batch++) {
    const stream = createStream(seed ^ Math.imul(batch, 0x85ebca6b));
    for (const statistic of drawBatch(strata, stream, Math.min(size, permutations - draws))) {
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
