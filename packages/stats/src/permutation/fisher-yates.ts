import type { RandomStream } from "../random.ts";
import { type ArmSampler, emptySums } from "./arm-sums.ts";
import { openKernel } from "./permutation-kernel.ts";

/**
 * Samples subsets of the scores by a partial Fisher–Yates shuffle (Durstenfeld 1964). Its cost is proportional to the subset's
 * size, so it suits a small first arm.
 */
export function fisherYatesSampler(
  scores: Float64Array,
  drawSize: (stream: RandomStream) => number,
): ArmSampler {
  return (stream, relabelings) => {
    const kernel = openKernel({ floats: 2 * scores.length + 2, integers: scores.length });
    const { state } = kernel;
    state.set(stream);
    // A score and its square. Each batch starts from the data, independent of the previous batch. Within a batch, any starting order will do.
    const cards = kernel.floats(2 * scores.length);
    for (let i = 0; i < scores.length; i++) {
      cards[2 * i] = scores[i]!;
      cards[2 * i + 1] = scores[i]! * scores[i]!;
    }
    const pair = kernel.floats(2);
    const words = kernel.integers(scores.length);
    const sums = emptySums(relabelings);
    for (let p = 0; p < relabelings; p++) {
      const size = drawSize(state);
      if (size === 0) continue;
      kernel.draw(words.byteOffset, words.fill(0, 0, size).subarray(size).byteOffset, -1);
      kernel.deal(cards.byteOffset, scores.length, words.byteOffset, size);
      kernel.sumPairs(cards.byteOffset, cards.subarray(2 * size).byteOffset, pair.byteOffset);
      sums.sum[p] = pair[0]!;
      sums.squares[p] = pair[1]!;
    }
    stream.set(state);
    return sums;
  };
}
