import { expect, test } from "vitest";
import { scoreHistogram } from "./score-histogram.ts";

const counts = (entries: readonly (readonly [number, number])[]) => new Map(entries);

test.each([
  {
    name: "passes and fails",
    levels: [0, 1],
    arms: [[[1, 30] as const, [0, 12] as const], []],
    binEdges: [-0.5, 0.5, 1.5],
    bins: [
      [12, 30],
      [0, 0],
    ],
  },
  {
    name: "points, and means between them",
    levels: [1, 2, 3, 4, 5],
    arms: [[[1, 2] as const, [2.4, 3] as const, [2.5, 4] as const, [5, 7] as const]],
    binEdges: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    bins: [[2, 3, 4, 0, 7]],
  },
  {
    name: "shares, the last bin with 1",
    levels: null,
    arms: [[[0, 1] as const, [0.05, 1] as const, [0.3, 5] as const, [0.95, 2] as const, [1, 3] as const]],
    binEdges: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    bins: [[2, 0, 0, 5, 0, 0, 0, 0, 0, 5]],
  },
  {
    name: "scores beyond the scale in the outermost bins",
    levels: [0, 1],
    arms: [[[-4, 1] as const, [9, 2] as const]],
    binEdges: [-0.5, 0.5, 1.5],
    bins: [[1, 2]],
  },
])("scoreHistogram holds $name", ({ levels, arms, binEdges, bins }) => {
  expect(scoreHistogram(arms.map(counts), levels)).toEqual({ binEdges, counts: bins });
});
