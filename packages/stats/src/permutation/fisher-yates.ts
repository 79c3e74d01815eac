import { fillWords, type RandomStream, reduceWord } from "../random.ts";
import { type ArmSampler, emptySums } from "./arm-sums.ts";

/**
 * Samples subsets of the scores by a partial Fisher–Yates shuffle (Durstenfeld 1964). Its cost is proportional to the subset's
 * size, so it suits a small first arm.
 */
export function fisherYatesSampler(
  scores: Float64Array,
  drawSize: (stream: RandomStream) => number,
): ArmSampler {
  const deck = new Float64Array(scores.length);
  const words = new Int32Array(scores.length);
  return (stream, relabelings) => {
    const sums = emptySums(relabelings);
    // Each batch starts from the data, independent of the previous batch. Within a batch, any starting order will do.
    deck.set(scores);
    for (let p = 0; p < relabelings; p++) {
      const size = drawSize(stream);
      fillWords(stream, words.subarray(0, size));
      let [sum, squares] = [0, 0];
      for (let i = 0; i < size; i++) {
        const j = i + reduceWord(words[i]!, deck.length - i, stream);
        const score = deck[j]!;
        deck[j] = deck[i]!;
        deck[i] = score;
        sum += score;
        squares += score * score;
      }
      sums.sum[p] = sum;
      sums.squares[p] = squares;
    }
    return sums;
  };
}
