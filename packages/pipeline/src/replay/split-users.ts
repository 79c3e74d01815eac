import type { UserBins, UserValues } from "@assay/domain";
import { createStream, fillWords, ratioMomentsOf, type Stratum } from "@assay/stats";
import type { ArmData } from "../compare/arm-data.ts";

/** Splits an arm's users at random in two; the same seed gives the same halves. */
export type Splitter = (seed: number) => Stratum<ArmData>;

/** Decides for each of n users which half gets the user. */
export interface Coins {
  readonly isHeads: (user: number) => boolean;
}

const WORD = 32;

/** Tosses a fair coin per user. */
export function tossCoins(n: number, seed: number): Coins {
  const words = tossWords(n, seed);
  return { isHeads: (user) => ((words[user >>> 5]! >>> (user & 31)) & 1) === 1 };
}

/**
 * Prepares the splits of an arm. If only counts of successes are known, it splits everybody's counts; otherwise the
 * values of at most `maxUsers` users. A sampled arm stays a sample in its halves, so that they get the same test as the
 * whole arm.
 */
export function splitterOf(arm: ArmData, maxUsers: number): Splitter {
  if (arm.bins !== null) return binSplitter(arm, arm.bins, maxUsers);
  if (arm.values !== null) return valueSplitter(arm, arm.values, maxUsers);
  return countSplitter(arm);
}

/** Counts the users whom `splitterOf` splits. */
export function splitUsers({ bins, values, users }: ArmData, maxUsers: number): number {
  if (bins !== null) return Math.min(maxUsers, bins.offsets.length - 1);
  return values === null ? users : Math.min(maxUsers, values.y.length);
}

function countSplitter({ users, moments }: ArmData): Splitter {
  const successes = Math.round(users * moments.meanY);
  return (seed) => {
    // Two sequences of tosses with different seeds: users with and without success.
    const [good, bad] = [countHeads(successes, seed), countHeads(users - successes, ~seed)];
    return {
      control: countedArm(good, good + bad),
      treatment: countedArm(successes - good, users - good - bad),
    };
  };
}

function countedArm(successes: number, users: number): ArmData {
  const meanY = users === 0 ? 0 : successes / users;
  const m2Y = successes * (1 - meanY);
  return {
    users,
    moments: { n: users, meanY, m2Y, meanD: 1, m2D: 0, cYD: 0 },
    values: null,
    bins: null,
  };
}

function valueSplitter({ users }: ArmData, all: UserValues, maxUsers: number): Splitter {
  const chosen = chooseEvenly(all.y.length, maxUsers);
  const usersPerValue = users / all.y.length;
  const half = (part: Uint32Array): ArmData => {
    const pick = (column: Float64Array) => pickFrom(column, part);
    const values = {
      type: "values",
      y: pick(all.y),
      d: pick(all.d),
      preY: pick(all.preY),
      preD: pick(all.preD),
      ...(all.clusters && { clusters: pick(all.clusters) }),
    } as const;
    return {
      users: Math.ceil(part.length * usersPerValue),
      moments: ratioMomentsOf(values),
      values,
      bins: null,
    };
  };
  return (seed) => mapHalves(chosen, seed, half);
}

function binSplitter({ moments }: ArmData, all: UserBins, maxUsers: number): Splitter {
  const chosen = chooseEvenly(all.offsets.length - 1, maxUsers);
  // A quantile is computed from the bins alone.
  const half = (part: Uint32Array): ArmData => ({
    users: part.length,
    moments,
    values: null,
    bins: pickBins(all, part),
  });
  return (seed) => mapHalves(chosen, seed, half);
}

function mapHalves(users: Uint32Array, seed: number, half: (part: Uint32Array) => ArmData): Stratum<ArmData> {
  const { isHeads } = tossCoins(users.length, seed);
  const [control, treatment] = [new Uint32Array(users.length), new Uint32Array(users.length)];
  let [c, t] = [0, 0];
  for (let i = 0; i < users.length; i++) {
    if (isHeads(i)) control[c++] = users[i]!;
    else treatment[t++] = users[i]!;
  }
  return { control: half(control.subarray(0, c)), treatment: half(treatment.subarray(0, t)) };
}

/** Chooses at most `most` of n users, evenly over their order, which is by period and then by hash. */
function chooseEvenly(n: number, most: number): Uint32Array {
  const count = Math.min(n, most);
  return Uint32Array.from({ length: count }, (_, i) => Math.floor((i * n) / count));
}

function pickFrom(column: Float64Array, users: Uint32Array): Float64Array {
  const picked = new Float64Array(users.length);
  for (let i = 0; i < users.length; i++) picked[i] = column[users[i]!]!;
  return picked;
}

function pickBins({ bins, counts, offsets, clusters }: UserBins, users: Uint32Array): UserBins {
  const picked = new Uint32Array(users.length + 1);
  for (let i = 0; i < users.length; i++) {
    const user = users[i]!;
    picked[i + 1] = picked[i]! + offsets[user + 1]! - offsets[user]!;
  }
  const entries = picked[users.length]!;
  const part = { bins: new Int32Array(entries), counts: new Uint32Array(entries) };
  for (let i = 0; i < users.length; i++) {
    const [from, to] = [offsets[users[i]!]!, offsets[users[i]! + 1]!];
    part.bins.set(bins.subarray(from, to), picked[i]!);
    part.counts.set(counts.subarray(from, to), picked[i]!);
  }
  const ofUnits = clusters && { clusters: pickFrom(clusters, users) };
  return { type: "bins", ...part, offsets: picked, ...ofUnits };
}

function tossWords(n: number, seed: number): Int32Array {
  const words = new Int32Array(Math.ceil(n / WORD));
  fillWords(createStream(seed), words);
  return words;
}

/** Tosses n coins and counts the heads: a binomial number, drawn 32 coins at a time. */
function countHeads(n: number, seed: number): number {
  const words = tossWords(n, seed);
  const extra = words.length * WORD - n;
  if (extra > 0) words[words.length - 1]! >>>= extra;
  return words.reduce((heads, word) => heads + countBits(word), 0);
}

/** Counts the ones of a 32-bit word, in parallel over ever larger fields. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
