import { leverageFactor } from "../clusters/cluster-error.ts";
import { fillWords, type RandomStream, reduceWord } from "../random.ts";
import type { PooledScores } from "./pool-scores.ts";

/** A stratum's units like cards: those dealt first have the labels of the first arm. */
export interface ClusteredDeck {
  /** The sum of the squared scores, in the unit of a squared shift of one unit of the first arm. */
  readonly squares: number;
  /** Puts the units into the order of the data. */
  reset(): void;
  /** Draws other labels that keep the arms' sizes (Durstenfeld 1964). */
  shuffle(stream: RandomStream): void;
  /** Adds what each user adds to treatment − control under the present labels, as `clusterError` does; returns the difference. */
  addShifts(shifts: Float64Array): number;
}

/** Lays out the units of a pooled stratum; `users` has the number of each unit's user, below `count`. */
export function clusteredDeck(stratum: PooledScores, users: Int32Array, count: number): ClusteredDeck {
  const { scores, firstSize, secondSize, sign, share, first, second } = stratum;
  const [inFirst, ofFirst] = [new Int32Array(count), new Float64Array(count)];
  const [inBoth, ofBoth] = [new Int32Array(count), new Float64Array(count)];
  for (let unit = 0; unit < scores.length; unit++) {
    inBoth[users[unit]!]!++;
    ofBoth[users[unit]!]! += scores[unit]!;
  }
  const total = first.sum + second.sum;
  const firstWeights = weightsBySize(inBoth, firstSize);
  const secondWeights = weightsBySize(inBoth, secondSize);
  const order = Int32Array.from(scores, (_, unit) => unit);
  const deck = order.slice();
  const words = new Int32Array(firstSize);
  return {
    squares: (share / firstSize) ** 2 * (first.squares + second.squares),
    reset: () => deck.set(order),
    shuffle: (stream) => {
      fillWords(stream, words);
      for (let i = 0; i < firstSize; i++) {
        const j = i + reduceWord(words[i]!, deck.length - i, stream);
        const unit = deck[j]!;
        deck[j] = deck[i]!;
        deck[i] = unit;
      }
    },
    addShifts: (shifts) => {
      let sum = 0;
      for (let i = 0; i < firstSize; i++) {
        const unit = deck[i]!;
        const score = scores[unit]!;
        sum += score;
        inFirst[users[unit]!]!++;
        ofFirst[users[unit]!]! += score;
      }
      const [mean, otherMean] = [sum / firstSize, (total - sum) / secondSize];
      const scale = share * sign;
      for (let user = 0; user < count; user++) {
        const size = inFirst[user]!;
        const rest = inBoth[user]! - size;
        const own = (ofFirst[user]! - size * mean) * firstWeights[size]!;
        const other = (ofBoth[user]! - ofFirst[user]! - rest * otherMean) * secondWeights[rest]!;
        shifts[user]! += scale * (own - other);
        inFirst[user] = 0;
        ofFirst[user] = 0;
      }
      return scale * (mean - otherMean);
    },
  };
}

/** Lists what a residual of a user counts in the mean of an arm of n units, by the number of the user's units in it. */
function weightsBySize(sizes: Int32Array, n: number): Float64Array {
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  return Float64Array.from({ length: largest + 1 }, (_, size) => leverageFactor(Math.min(size, n), n) / n);
}
