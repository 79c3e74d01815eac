import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cohenKappa } from "./kappa.ts";

const points = [
  [10, 3, 1, 0, 0],
  [2, 14, 4, 1, 0],
  [1, 4, 20, 5, 1],
  [0, 1, 6, 25, 4],
  [0, 0, 2, 3, 18],
];
const three = [
  [44, 5, 1],
  [7, 20, 3],
  [9, 5, 6],
];

describe("cohenKappa", () => {
  /** statsmodels 0.15.0: cohens_kappa(table) and cohens_kappa(table, wt="fc"): kappa, std_kappa, kappa_low, kappa_upp. */
  test.each([
    {
      name: "two categories",
      counts: [
        [45, 15],
        [25, 15],
      ],
      weights: "none" as const,
      expected: [0.13043478260869554, 0.0986615376234396, -0.06293827779258965, 0.3238078430099807],
    },
    {
      name: "three categories",
      counts: three,
      weights: "none" as const,
      expected: [0.49152542372881347, 0.07212745929334068, 0.35015820121748686, 0.6328926462401401],
    },
    {
      name: "three ordered categories",
      counts: three,
      weights: "quadratic" as const,
      expected: [0.4545454545454546, 0.09397969777572601, 0.27034863162707257, 0.6387422774638366],
    },
    {
      name: "points from 1 to 5",
      counts: points,
      weights: "quadratic" as const,
      expected: [0.847978892255684, 0.03084769308104811, 0.7875185248106843, 0.9084392597006837],
    },
    {
      name: "disagreement, with an interval that ends at −1 (statsmodels: −1.19)",
      counts: [
        [1, 4],
        [3, 0],
      ],
      weights: "none" as const,
      expected: [-0.75, 0.22642776165920997, -1, -0.30620974204792906],
    },
  ])("of $name", ({ counts, weights, expected }) => {
    const { kappa, standardError, ciLow, ciHigh } = cohenKappa(counts, weights)!;
    expect([kappa, standardError, ciLow, ciHigh]).toEqual(expected.map((value) => expect.closeTo(value, 12)));
  });

  test("is 1 without error when they always agree", () => {
    const diagonal = points.map((row, i) => row.map((count, j) => (i === j ? count : 0)));
    for (const weights of ["none", "quadratic"] as const) {
      const { kappa, standardError, ciLow, ciHigh } = cohenKappa(diagonal, weights)!;
      expect(kappa).toBeCloseTo(1, 12);
      expect(standardError).toBeCloseTo(0, 7);
      expect(ciLow).toBeCloseTo(1, 6);
      expect(ciHigh).toBeLessThanOrEqual(1);
    }
  });

  test.each([
    { name: "there are no categories", counts: [] },
    {
      name: "there are no items",
      counts: [
        [0, 0],
        [0, 0],
      ],
    },
    { name: "there is one category", counts: [[7]] },
    {
      name: "both chose one category only",
      counts: [
        [7, 0],
        [0, 0],
      ],
    },
  ])("is null when $name", ({ counts }) => {
    expect(cohenKappa(counts, "none")).toBeNull();
    expect(cohenKappa(counts, "quadratic")).toBeNull();
  });

  test("is the same with either weights for two categories, and when the raters are swapped", () => {
    const cell = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const there = cohenKappa(
          [
            [a, b],
            [c, d],
          ],
          "none",
        )!;
        const others = [
          cohenKappa(
            [
              [a, b],
              [c, d],
            ],
            "quadratic",
          )!,
          cohenKappa(
            [
              [a, c],
              [b, d],
            ],
            "none",
          )!,
        ];
        for (const { kappa, standardError } of others) {
          expect(kappa).toBeCloseTo(there.kappa, 12);
          expect(standardError).toBeCloseTo(there.standardError, 9);
        }
      }),
    );
  });
});
