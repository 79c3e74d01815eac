import type { SharedHistogram } from "./histogram.ts";

/** Of a scale without levels: ten equal bins from 0 to 1. */
const TENTHS = Array.from({ length: 11 }, (_, k) => k / 10);

/**
 * Lays scores, counted by value, over bins that all arms share: one around each of the scale's levels (neighbours 1 apart, in
 * order), or ten equal ones from 0 to 1 without levels. A score on an edge counts above it; one beyond the scale in
 * the outermost bin.
 */
export function scoreHistogram(
  arms: readonly ReadonlyMap<number, number>[],
  levels: readonly number[] | null,
): SharedHistogram {
  const binEdges = levels === null ? TENTHS : [levels[0]! - 0.5, ...levels.map((level) => level + 0.5)];
  const inner = binEdges.slice(1, -1);
  return {
    binEdges,
    counts: arms.map((scores) => {
      const counts = new Array<number>(inner.length + 1).fill(0);
      for (const [score, count] of scores) counts[inner.filter((edge) => edge <= score).length]! += count;
      return counts;
    }),
  };
}
