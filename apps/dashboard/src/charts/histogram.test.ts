import { describe, expect, test } from "vitest";
import { histogramBars, labelledEdges } from "./histogram.ts";

test("histogramBars gives every arm its bins as shares of its own values", () => {
  const distributions = {
    a: { bin_edges: [0, 1, 10], counts: [1, 3] },
    b: { bin_edges: [0, 1, 10], counts: [0, 0] },
  };
  expect(histogramBars(distributions, ["b", "a", "unknown"])).toEqual([
    { arm: "a", bin: 0, from: 0, to: 1, count: 1, share: 0.25 },
    { arm: "a", bin: 1, from: 1, to: 10, count: 3, share: 0.75 },
  ]);
});

describe("labelledEdges", () => {
  test.each([
    { edges: 0, atMost: 5, labels: [] },
    { edges: 3, atMost: 5, labels: [0, 1, 2] },
    { edges: 41, atMost: 5, labels: [0, 10, 20, 30, 40] },
    { edges: 5, atMost: 1, labels: [0, 4] },
  ])("spreads at most $atMost labels over $edges edges", ({ edges, atMost, labels }) =>
    expect(labelledEdges(edges, atMost)).toEqual(labels),
  );
});
