import { drawBelow, fillWords, type RandomStream } from "../random.ts";
import { type ArmSampler, type ArmSums, emptySums } from "./arm-sums.ts";

const USERS_PER_BLOCK = 32;
/** Size of a table: eight users have 256 subsets, each with a sum and a sum of squares. */
const TABLE = 512;
const MAX_WORDS = 8;
/** Correcting the size by one user takes about as long as drawing this many words. */
const WORDS_PER_REPAIR = 16;

/** Which subsets to sample. */
export interface SubsetPlan {
  /** A subset's average share of the scores. The closer it is to the actual share, the faster the sampling. */
  readonly share: number;
  /** Draws the exact size of the next subset. */
  drawSize(stream: RandomStream): number;
}

/**
 * Samples subsets of the scores, 32 at a time. A random word says which of 32 scores are in the subset, and four tables with the
 * subset sums of 8 scores each add them up. A subset of independent members is uniform given its size. It stays uniform when
 * randomly drawn members leave (or others join) until it has the requested size.
 */
export function blockSampler(scores: Float64Array, plan: SubsetPlan): ArmSampler {
  const blocks = Math.ceil(scores.length / USERS_PER_BLOCK);
  const padded = new Float64Array(blocks * USERS_PER_BLOCK);
  padded.set(scores);
  const chance = chanceNear(plan.share, scores.length);
  const tables = new Float64Array(4 * TABLE);
  let words = new Int32Array(0);
  return (stream, relabelings) => {
    // 13 MB for 200,000 scores and 512 relabelings, so one array serves all batches.
    if (words.length < blocks * relabelings) words = new Int32Array(blocks * relabelings);
    const labels: Labels = { words, relabelings, sizes: new Int32Array(relabelings) };
    const sums = emptySums(relabelings);
    for (let block = 0; block < blocks; block++) {
      const first = block * USERS_PER_BLOCK;
      fillTables(tables, padded.subarray(first, first + USERS_PER_BLOCK));
      const row = words.subarray(block * relabelings, (block + 1) * relabelings);
      drawLabels(stream, row, chance);
      if (first + USERS_PER_BLOCK > scores.length) clearBits(row, scores.length - first);
      addBlock(sums, labels.sizes, { tables, row });
    }
    for (let p = 0; p < relabelings; p++)
      repairSize(sums, labels, { p, scores, stream, size: plan.drawSize(stream) });
    return sums;
  };
}

interface Labels {
  /** Word `block × relabelings + p` has the labels of the block's users under relabeling p. */
  readonly words: Int32Array;
  readonly relabelings: number;
  readonly sizes: Int32Array;
}

/** A chance of `numerator` (odd) / 2^`bits` costs that many random words for each word of labels. */
interface Chance {
  readonly numerator: number;
  readonly bits: number;
}

/**
 * Weighs the words that a finer chance costs against the corrections that a coarser one needs. An even numerator is never best,
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

function fillTables(tables: Float64Array, block: Float64Array): void {
  for (let table = 0; table < 4; table++) {
    const start = table * TABLE;
    for (let user = 0; user < 8; user++) {
      const score = block[table * 8 + user]!;
      const square = score * score;
      const half = 2 << user;
      for (let i = start; i < start + half; i += 2) {
        tables[i + half] = tables[i]! + score;
        tables[i + half + 1] = tables[i + 1]! + square;
      }
    }
  }
}

/** Sets each bit with the given chance: starts from a random word for the last binary digit (1), then ORs (1) or ANDs (0) one per digit. */
function drawLabels(stream: RandomStream, row: Int32Array, { numerator, bits }: Chance): void {
  fillWords(stream, row);
  const more = new Int32Array(bits > 1 ? row.length : 0);
  for (let bit = 1; bit < bits; bit++) {
    fillWords(stream, more);
    const isOr = ((numerator >>> bit) & 1) === 1;
    for (let p = 0; p < row.length; p++) row[p] = isOr ? row[p]! | more[p]! : row[p]! & more[p]!;
  }
}

function clearBits(row: Int32Array, from: number): void {
  const mask = (1 << from) - 1;
  for (let p = 0; p < row.length; p++) row[p]! &= mask;
}

function addBlock(
  { sum, squares }: ArmSums,
  sizes: Int32Array,
  { tables, row }: { readonly tables: Float64Array; readonly row: Int32Array },
): void {
  for (let p = 0; p < row.length; p++) {
    const word = row[p]!;
    const a = (word << 1) & 510;
    const b = ((word >>> 7) & 510) + TABLE;
    const c = ((word >>> 15) & 510) + 2 * TABLE;
    const d = ((word >>> 23) & 510) + 3 * TABLE;
    sum[p]! += tables[a]! + tables[b]! + (tables[c]! + tables[d]!);
    squares[p]! += tables[a + 1]! + tables[b + 1]! + (tables[c + 1]! + tables[d + 1]!);
    sizes[p]! += countBits(word);
  }
}

/** Counts the bits of a word in parallel (Warren 2013, Hacker's Delight, §5-1). */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

interface Repair {
  readonly p: number;
  readonly scores: Float64Array;
  readonly stream: RandomStream;
  readonly size: number;
}

function repairSize({ sum, squares }: ArmSums, { words, relabelings, sizes }: Labels, repair: Repair): void {
  const { p, scores, stream, size } = repair;
  let surplus = sizes[p]! - size;
  while (surplus !== 0) {
    const user = drawBelow(stream, scores.length);
    const at = (user >>> 5) * relabelings + p;
    const bit = 1 << (user & 31);
    const isMember = (words[at]! & bit) !== 0;
    if (isMember !== surplus > 0) continue;
    const step = isMember ? -1 : 1;
    words[at]! ^= bit;
    sum[p]! += step * scores[user]!;
    squares[p]! += step * scores[user]! * scores[user]!;
    surplus += step;
  }
}
