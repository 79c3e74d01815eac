import { leverageFactor } from "../clusters/cluster-error.ts";
import type { RandomStream } from "../random.ts";
import { sumOf } from "../sum-of.ts";
import { openKernel, type PermutationKernel } from "./permutation-kernel.ts";
import type { PooledScores } from "./pool-scores.ts";
import type { Difference } from "./pooled-stratum.ts";

/** A spread below this share of the squared scores is a cancellation error. */
const ROUNDING = 1e-12;

/** The units of each stratum as a deck of cards: the units dealt first belong to the first arm. */
export interface ClusteredDecks {
  /** Restores the order of the data, and uses a copy of this stream for the next draws. */
  reset(stream: RandomStream): void;
  /** Draws other labels that keep the arms' sizes (Durstenfeld 1964). */
  shuffle(): void;
  /** Computes treatment − control under the current labels, and its variance as `clusterError` does. */
  difference(): Difference;
}

/**
 * Lays out the units of pooled strata in the kernel's memory. `users`: the number of each unit's user, below `count`. The decks are
 * valid until the kernel is opened again.
 */
export function clusteredDecks(
  strata: readonly PooledScores[],
  users: readonly Int32Array[],
  count: number,
): ClusteredDecks {
  const inBoth = strata.map(({ scores }, i) => sumByUser(scores, users[i]!, count));
  const mostUnits = inBoth.map((pairs) =>
    pairs.reduce((most, units, i) => (i % 2 === 1 ? Math.max(most, units) : most), 0),
  );
  const units = sumOf(strata.map(({ scores }) => scores.length));
  const kernel = openKernel({
    floats: count + 4 * count * strata.length + 2 * units + 2 * sumOf(mostUnits.map((most) => most + 1)),
    integers: sumOf(strata.map(({ firstSize }) => firstSize)),
  });
  const shifts = kernel.floats(count);
  const decks = strata.map((stratum, i) =>
    layOut(kernel, { stratum, users: users[i]!, inBoth: inBoth[i]!, mostUnits: mostUnits[i]!, shifts }),
  );
  const squares = sumOf(
    strata.map(
      ({ share, firstSize, first, second }) => (share / firstSize) ** 2 * (first.squares + second.squares),
    ),
  );
  return {
    reset: (stream) => {
      kernel.state.set(stream);
      for (const deck of decks) deck.reset();
    },
    shuffle: () => {
      for (const deck of decks) deck.shuffle();
    },
    difference: () => {
      const difference = sumOf(decks.map((deck) => deck.addShifts()));
      const variance = kernel.squareShifts(...addressesOf(shifts));
      return { difference, variance: variance > ROUNDING * squares ? variance : 0 };
    },
  };
}

interface Deck {
  reset(): void;
  shuffle(): void;
  /** Adds each user's contribution to treatment − control to `shifts`; returns the difference. */
  addShifts(): number;
}

/** The parts of a deck. `inBoth`: for each user, the sum of the scores in both arms and the number of units. */
interface DeckParts {
  readonly stratum: PooledScores;
  readonly users: Int32Array;
  readonly inBoth: Float64Array;
  readonly mostUnits: number;
  readonly shifts: Float64Array;
}

function layOut(kernel: PermutationKernel, { stratum, users, inBoth, mostUnits, shifts }: DeckParts): Deck {
  const { scores, firstSize, secondSize, sign, share, first, second } = stratum;
  const both = kernel.floats(inBoth.length);
  both.set(inBoth);
  const inFirst = kernel.floats(inBoth.length);
  const [pairs, pairsEnd] = addressesOf(inFirst);
  const cards = kernel.floats(2 * scores.length);
  const integers = new Int32Array(cards.buffer, cards.byteOffset, 4 * scores.length);
  for (let unit = 0; unit < scores.length; unit++) {
    cards[2 * unit] = scores[unit]!;
    integers[4 * unit + 2] = pairs + 2 * cards.BYTES_PER_ELEMENT * users[unit]!;
  }
  const order = integers.slice();
  const weightsOf = (n: number) => {
    const weights = kernel.floats(mostUnits + 1);
    weights.set(weights.map((_, size) => leverageFactor(Math.min(size, n), n) / n));
    return weights.byteOffset;
  };
  const [firstWeights, secondWeights] = [weightsOf(firstSize), weightsOf(secondSize)];
  const words = kernel.integers(firstSize);
  const [, dealtEnd] = addressesOf(cards.subarray(0, 2 * firstSize));
  const total = first.sum + second.sum;
  const scale = share * sign;
  return {
    reset: () => integers.set(order),
    shuffle: () => {
      kernel.draw(...addressesOf(words.fill(0)), -1);
      kernel.deal(cards.byteOffset, scores.length, words.byteOffset, firstSize);
    },
    addShifts: () => {
      const sum = kernel.collect(cards.byteOffset, dealtEnd);
      const [mean, otherMean] = [sum / firstSize, (total - sum) / secondSize];
      const into = shifts.byteOffset;
      kernel.shift(
        pairs,
        pairsEnd,
        both.byteOffset,
        into,
        firstWeights,
        secondWeights,
        mean,
        otherMean,
        scale,
      );
      return scale * (mean - otherMean);
    },
  };
}

/** Adds up each user's scores; a pair is their sum and their number. */
function sumByUser(scores: Float64Array, users: Int32Array, count: number): Float64Array {
  const pairs = new Float64Array(2 * count);
  for (let unit = 0; unit < scores.length; unit++) {
    const user = users[unit]!;
    pairs[2 * user]! += scores[unit]!;
    pairs[2 * user + 1]! += 1;
  }
  return pairs;
}

function addressesOf({ byteOffset, byteLength }: Float64Array | Int32Array): [first: number, end: number] {
  return [byteOffset, byteOffset + byteLength];
}
