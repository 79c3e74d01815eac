import { describe, expect, test } from "vitest";
import { createStream } from "../random.ts";
import type { ArmSampler } from "./arm-sums.ts";
import { blockSampler } from "./block-sums.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { countSampler } from "./permute-counts.ts";

/** Score i is 2^i, so that a subset's sum names its members. */
const powers = (n: number) => Float64Array.from({ length: n }, (_, i) => 2 ** i);

type Create = (scores: Float64Array, size: number) => ArmSampler;
const samplers: readonly (readonly [name: string, create: Create])[] = [
  ["Fisher–Yates", (scores, size) => fisherYatesSampler(scores, () => size)],
  ["blocks", (scores, size) => blockSampler(scores, { share: size / scores.length, drawSize: () => size })],
  ["blocks of a wrong share", (scores, size) => blockSampler(scores, { share: 0.5, drawSize: () => size })],
];

/** The sums of many subsets, drawn in batches as a test does. */
function drawMany(sampler: ArmSampler, batches: number) {
  const draws = Array.from({ length: batches }, (_, batch) => sampler(createStream(batch), 500));
  return draws.flatMap(({ sum, squares }) =>
    Array.from(sum, (value, i) => ({ sum: value, squares: squares[i]! })),
  );
}

function members(sum: number): number[] {
  return [...sum.toString(2)].toReversed().flatMap((bit, i) => (bit === "1" ? [i] : []));
}

function chiSquareOf(counts: Iterable<number>, expected: number): number {
  return [...counts].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe.each(samplers)("%s", (_, create) => {
  test.each([3, 5, 8])("draws every subset of %i of 10 users equally often", (size) => {
    const counts = new Map<number, number>();
    for (const { sum } of drawMany(create(powers(10), size), 42)) counts.set(sum, (counts.get(sum) ?? 0) + 1);
    const subsets = { 3: 120, 5: 252, 8: 45 }[size]!;
    expect(counts.size).toBe(subsets);
    expect(chiSquareOf(counts.values(), 21_000 / subsets)).toBeLessThan(subsets + 4 * Math.sqrt(2 * subsets));
  });

  test.each([0, 1, 17, 45, 49, 50])("keeps a size of %i of 50 users, and draws each as often", (size) => {
    const counts = new Array<number>(50).fill(0);
    const drawn = drawMany(create(powers(50), size), 8).map(({ sum }) => members(sum));
    for (const subset of drawn) {
      expect(subset.length).toBe(size);
      for (const user of subset) counts[user]!++;
    }
    expect(chiSquareOf(counts, Math.max(1e-9, (4_000 * size) / 50))).toBeLessThan(50 + 4 * Math.sqrt(100));
  });

  test("adds up the squares of the same users", () => {
    for (const { sum, squares } of drawMany(create(powers(24), 9), 1)) {
      expect(squares).toBe(members(sum).reduce((total, user) => total + 4 ** user, 0));
    }
  });

  test("draws a batch the same whatever the previous batch was", () => {
    const sampler = create(powers(40), 13);
    const fresh = sampler(createStream(5), 20);
    sampler(createStream(6), 64);
    expect(sampler(createStream(5), 20)).toEqual(fresh);
  });
});

test("the counts of each value in the first arm have the multivariate hypergeometric probabilities", () => {
  const sampler = countSampler({ values: [1, 100, 10_000], totals: [3, 4, 5] }, 6);
  const counts = new Map<number, number>();
  for (const { sum, squares } of drawMany(sampler, 42)) {
    const [low, middle, high] = [sum % 100, Math.floor(sum / 100) % 100, Math.floor(sum / 10_000)];
    expect(low + middle + high).toBe(6);
    expect(squares).toBe(low + 1e4 * middle + 1e8 * high);
    counts.set(sum, (counts.get(sum) ?? 0) + 1);
  }
  const choose = [
    [1, 3, 3, 1, 0, 0],
    [1, 4, 6, 4, 1, 0],
    [1, 5, 10, 10, 5, 1],
  ];
  let [chiSquare, cells] = [0, 0];
  for (let low = 0; low <= 3; low++) {
    for (let middle = Math.max(0, 1 - low); middle <= 4 && low + middle <= 6; middle++) {
      const high = 6 - low - middle;
      const ways = choose[0]![low]! * choose[1]![middle]! * choose[2]![high]!;
      const expected = (21_000 * ways) / 924;
      chiSquare += ((counts.get(low + 100 * middle + 10_000 * high) ?? 0) - expected) ** 2 / expected;
      cells++;
    }
  }
  expect(chiSquare).toBeLessThan(cells + 4 * Math.sqrt(2 * cells));
});
