import type { RandomStream } from "../random.ts";
import { type ArmSampler, emptySums } from "./arm-sums.ts";
import { openKernel } from "./permutation-kernel.ts";

const USERS_PER_BLOCK = 32;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const SCORE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const MAX_WORDS = 8;
/** The assumed cost of correcting the size by one user, in random words. Changing it would change the sampled subsets. */
const WORDS_PER_REPAIR = 16;

/** Which subsets to sample. */
export interface SubsetPlan {
  /** A subset's average share of the scores. The closer it is to the actual share, the faster the sampling. */
  readonly share: number;
  /** Draws the exact size of the next subset. */
  drawSize(stream: RandomStream): number;
}

/**
 * Samples subsets of the scores. A random word decides which of 32 scores are in the subset, and four tables with the subset sums of
 * 8 scores each add them up. A subset of independent members is uniform given its size. It stays uniform if randomly drawn members
 * leave (or join) until it has the requested size.
 */
export function blockSampler(scores: Float64Array, plan: SubsetPlan): ArmSampler {
  const blocks = Math.ceil(scores.length / USERS_PER_BLOCK);
  const chance = chanceNear(plan.share, scores.length);
  return (stream, relabelings) => {
    const users = blocks * USERS_PER_BLOCK;
    const kernel = openKernel({
      floats: users + 2 * relabelings,
      integers: relabelings + blocks * relabelings,
    });
    const { state } = kernel;
    state.set(stream);
    const padded = kernel.floats(users);
    padded.set(scores);
    // A sum and the sum of the squares for each relabeling.
    const pairs = kernel.floats(2 * relabelings);
    const sizes = kernel.integers(relabelings);
    const [scoresAt, wordsAt] = [padded.byteOffset, kernel.integers(blocks * relabelings).byteOffset];
    // The labels of a block under all relabelings are contiguous in memory.
    const stride = WORD_BYTES * relabelings;
    for (let block = 0; block < blocks; block++) {
      const first = block * USERS_PER_BLOCK;
      const [row, rowEnd] = [wordsAt + block * stride, wordsAt + (block + 1) * stride];
      const mask = first + USERS_PER_BLOCK > scores.length ? (1 << (scores.length - first)) - 1 : -1;
      kernel.tabulate(scoresAt + SCORE_BYTES * first);
      // Sets each bit with the chance: starting from 0, each binary digit of it, last one first, ORs (1) or ANDs (0) a random word.
      for (let digit = 0; digit < chance.bits; digit++)
        kernel.draw(row, rowEnd, -((chance.numerator >>> digit) & 1));
      kernel.add(row, rowEnd, mask, pairs.byteOffset, sizes.byteOffset);
    }
    const sums = emptySums(relabelings);
    for (let p = 0; p < relabelings; p++) {
      const surplus = sizes[p]! - plan.drawSize(state);
      const [labels, pair] = [wordsAt + WORD_BYTES * p, pairs.byteOffset + 2 * SCORE_BYTES * p];
      if (surplus !== 0) kernel.repair(labels, stride, scoresAt, scores.length, pair, surplus);
      sums.sum[p] = pairs[2 * p]!;
      sums.squares[p] = pairs[2 * p + 1]!;
    }
    stream.set(state);
    return sums;
  };
}

/** A chance of `numerator` (odd) / 2^`bits` costs that many random words for each word of labels. */
interface Chance {
  readonly numerator: number;
  readonly bits: number;
}

/**
 * Chooses the cheapest chance: a finer one needs more random words, a coarser one more corrections. An even numerator is never best,
 * because the same chance is cheaper in fewer bits.
 */
function chanceNear(share: number, users: number): Chance {
  const chances = Array.from({ length: MAX_WORDS }, (_, i) => {
    const bits = i + 1;
    const numerator = Math.min(Math.max(1, Math.round(share * 2 ** bits)), 2 ** bits - 1);
    const repairs = users * Math.abs(numerator / 2 ** bits - share);
    return { numerator, bits, cost: (bits * users) / USERS_PER_BLOCK + WORDS_PER_REPAIR * repairs };
  });
  return chances.reduce((best, chance) => (chance.cost < best.cost ? chance : best));
}
