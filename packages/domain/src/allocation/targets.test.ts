import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Arm, computeTargets } from "./targets.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Lists every way to distribute `total` buckets that leaves each arm its claims and gives nothing new to weight 0. */
function allSplits([arm, ...rest]: readonly Arm[], total: number): number[][] {
  if (arm === undefined) return total === 0 ? [[]] : [];
  const most = arm.weight === 0 ? arm.claimed : total;
  const counts = Array.from({ length: Math.max(0, most - arm.claimed + 1) }, (_, i) => arm.claimed + i);
  return counts.flatMap((count) => allSplits(rest, total - count).map((others) => [count, ...others]));
}

function distance(arms: readonly Arm[], counts: readonly number[], total: number): number {
  const weightSum = sum(arms.map(({ weight }) => weight));
  return sum(arms.map(({ weight }, i) => Math.abs(counts[i]! - (weight * total) / weightSum)));
}

describe("computeTargets", () => {
  test.each([
    { name: "splits evenly", weights: [1, 1], claimed: [0, 0], total: 1000, counts: [500, 500] },
    {
      name: "reads weights as relative",
      weights: [0.1, 0.2, 0.7],
      claimed: [0, 0, 0],
      total: 1000,
      counts: [100, 200, 700],
    },
    {
      name: "gives a tie to the earlier arm",
      weights: [1, 1, 1],
      claimed: [0, 0, 0],
      total: 10,
      counts: [4, 3, 3],
    },
    {
      name: "gives the odd bucket to the largest remainder",
      weights: [2, 3, 3],
      claimed: [0, 0, 0],
      total: 10,
      counts: [2, 4, 4],
    },
    { name: "keeps a claim above the ideal", weights: [1, 9], claimed: [8, 0], total: 20, counts: [8, 12] },
    {
      name: "shares the buckets left by an overfull arm in proportion",
      weights: [1, 1, 2],
      claimed: [10, 0, 0],
      total: 16,
      counts: [10, 2, 4],
    },
    {
      name: "minimizes the distance in whole buckets, not in fractions",
      weights: [0.6, 10.5, 0],
      claimed: [0, 0, 1],
      total: 12,
      counts: [0, 11, 1],
    },
    {
      name: "stays closest to proportional if the distance is the same",
      weights: [1, 2, 1],
      claimed: [10, 0, 0],
      total: 15,
      counts: [10, 3, 2],
    },
    { name: "gives weight 0 its claims only", weights: [0, 1], claimed: [3, 0], total: 10, counts: [3, 7] },
    {
      name: "never takes claims back when the total shrinks",
      weights: [1, 1],
      claimed: [6, 2],
      total: 4,
      counts: [6, 2],
    },
    {
      name: "gives out nothing when no weight is left",
      weights: [0, 0],
      claimed: [3, 0],
      total: 10,
      counts: [3, 0],
    },
    {
      name: "breaks a tie by order, not by floating-point noise",
      weights: [1, 7, 1],
      claimed: [0, 0, 0],
      total: 21,
      counts: [3, 16, 2],
    },
    { name: "shares by tiny weights", weights: [5e-324, 5e-324], claimed: [0, 0], total: 10, counts: [5, 5] },
    { name: "shares by huge weights", weights: [1e308, 1e308], claimed: [0, 0], total: 10, counts: [5, 5] },
    {
      name: "gives one bucket to the first of equals",
      weights: [1, 1],
      claimed: [0, 0],
      total: 1,
      counts: [1, 0],
    },
  ])("$name", ({ weights, claimed, total, counts }) => {
    const arms = weights.map((weight, i) => ({ weight, claimed: claimed[i]! }));
    expect(computeTargets(arms, total)).toEqual(counts);
  });

  const arm = fc.record({
    weight: fc.oneof(fc.constantFrom(0, 1, 2, 50, 0.1, 1 / 3), fc.double({ min: 0, max: 20, noNaN: true })),
    claimed: fc.oneof(fc.constant(0), fc.nat(5)),
  });
  const someArms = fc
    .array(arm, { minLength: 1, maxLength: 4 })
    .filter((arms) => arms.some(({ weight }) => weight > 1e-6));

  test("comes as close to the weights as any split that respects the claims", () => {
    fc.assert(
      fc.property(someArms, fc.nat(12), (arms, extra) => {
        const total = sum(arms.map(({ claimed }) => claimed)) + extra;
        const counts = computeTargets(arms, total);
        const splits = allSplits(arms, total);
        expect(splits).toContainEqual(counts);
        const nearest = Math.min(...splits.map((split) => distance(arms, split, total)));
        // Differences below a millionth of a bucket count as none.
        expect(distance(arms, counts, total)).toBeCloseTo(nearest, 5);
      }),
      { numRuns: 500 },
    );
  });

  test("distributes a million buckets down to the last one", () => {
    fc.assert(
      fc.property(fc.array(arm, { minLength: 2, maxLength: 20 }), (arms) => {
        fc.pre(arms.some(({ weight }) => weight > 0));
        expect(sum(computeTargets(arms, 1_000_000))).toBe(1_000_000);
      }),
    );
  });
});
