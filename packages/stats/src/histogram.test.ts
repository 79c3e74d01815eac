import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryHistogram, fineBin, fineBinEdges, scoreHistogram, sharedHistogram } from "./histogram.ts";

function countsOf(values: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(fineBin(value), (counts.get(fineBin(value)) ?? 0) + 1);
  return counts;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const repeat = (value: number, times: number) => new Array<number>(times).fill(value);

describe("fineBin", () => {
  test.each([
    [0, -40_000],
    [-0, -40_000],
    [1, 0],
    [1.01, 1],
    [1.021, 2],
    [0.99, 0],
    [0.97, -1],
    [120_000, 591],
    [5e-324, -37_592],
    [Number.MAX_VALUE, 35_843],
    [Number.POSITIVE_INFINITY, 35_843],
    [-1, -80_000],
    [-120_000, -80_591],
    [-5e-324, -42_408],
  ])("of %d is %d", (value, bin) => expect(fineBin(value)).toBe(bin));

  test("keeps the order of the values", () => {
    const value = fc.double({ noNaN: true });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(fineBin(low)).toBeLessThanOrEqual(fineBin(high));
      }),
    );
  });
});

test("a binary metric has users without success and with", () => {
  const arms = [countsOf([0, 0, 0, 1]), countsOf([1, 1]), countsOf([])];
  expect(binaryHistogram(arms)).toEqual({
    binEdges: [-0.5, 0.5, 1.5],
    counts: [
      [3, 1],
      [0, 2],
      [0, 0],
    ],
  });
});

describe("sharedHistogram", () => {
  test.each([
    { name: "no values", arms: [[], []], binEdges: [-0.5, 0.5], counts: [[0], [0]] },
    { name: "zeros only", arms: [[0, 0], [0]], binEdges: [-0.5, 0.5], counts: [[2], [1]] },
    { name: "one value", arms: [[1], [1, 1]], binEdges: [1 / 1.02, 1], counts: [[1], [2]] },
    {
      name: "zeros and a positive value",
      arms: [[0, 1], [1]],
      binEdges: [0, 1 / 1.02, 1],
      counts: [
        [1, 1],
        [0, 1],
      ],
    },
    {
      name: "zeros and a negative value",
      arms: [[0, -1], [-1]],
      binEdges: [-1, -1 / 1.02, 0],
      counts: [
        [1, 1],
        [1, 0],
      ],
    },
    {
      name: "both signs without a zero",
      arms: [[-1], [1]],
      binEdges: [-1, -1 / 1.02, 1 / 1.02, 1],
      counts: [
        [1, 0, 0],
        [0, 0, 1],
      ],
    },
    { name: "negative values only", arms: [[-1, -1], []], binEdges: [-1, -1 / 1.02], counts: [[2], [0]] },
    {
      name: "rare values on both sides of zero",
      arms: [[-1, ...repeat(0, 998), 1], []],
      binEdges: [-1, -1 / 1.02, 1 / 1.02, 1],
      counts: [
        [1, 998, 1],
        [0, 0, 0],
      ],
    },
    {
      name: "rare negative values below zeros",
      arms: [[-1, ...repeat(0, 998)]],
      binEdges: [-1, -1 / 1.02, 0],
      counts: [[1, 998]],
    },
    {
      name: "rare zeros below a positive value",
      arms: [[0, ...repeat(1, 998)]],
      binEdges: [0, 1 / 1.02, 1],
      counts: [[1, 998]],
    },
    {
      name: "rare zeros above a negative value",
      arms: [[0, ...repeat(-1, 998)]],
      binEdges: [-1, -1 / 1.02, 0],
      counts: [[998, 1]],
    },
  ])("lays out $name", ({ arms, binEdges, counts }) => {
    expect(sharedHistogram(arms.map(countsOf))).toEqual({
      binEdges: binEdges.map((edge) => expect.closeTo(edge, 12)),
      counts,
    });
  });

  test.each([
    { fine: 38, bins: 38 },
    { fine: 39, bins: 20 },
    { fine: 76, bins: 38 },
    { fine: 77, bins: 26 },
  ])("has the narrowest bins that the number allows: $bins over $fine fine ones", ({ fine, bins }) => {
    const values = Array.from({ length: fine }, (_, k) => 1.02 ** (k + 0.5));
    expect(sharedHistogram([countsOf(values)]).counts[0]).toHaveLength(bins);
  });

  test("skips empty fine bins", () => {
    const empty = new Map([
      [fineBin(1), 2],
      [fineBin(1e6), 0],
    ]);
    expect(sharedHistogram([empty])).toEqual({ binEdges: [expect.closeTo(1 / 1.02, 12), 1], counts: [[2]] });
  });

  test("collects the values outside the middle 99 % in one bin on each side", () => {
    const middle = Array.from({ length: 1000 }, (_, i) => 100 + i);
    const { binEdges, counts } = sharedHistogram([countsOf([0.001, ...middle, 1e9]), countsOf([])]);
    expect(binEdges[0]).toBeCloseTo(0.001, 4);
    expect(binEdges.at(-1)! / 1e9).toBeCloseTo(1, 1);
    expect(binEdges[1]).toBeGreaterThan(98);
    expect(binEdges.at(-2)).toBeLessThan(1125);
    expect(counts[0]![0]).toBeLessThanOrEqual(12);
    expect(counts[0]!.at(-1)).toBeLessThanOrEqual(12);
    expect(sum(counts[0]!)).toBe(1002);
  });

  test("puts every value between its bin's edges, in at most 40 rising bins that all arms share", () => {
    const value = fc.oneof(
      fc.constant(0),
      fc.double({ min: -1e300, max: 1e300, noNaN: true }).map((x) => (Math.abs(x) < 1e-300 ? 0 : x)),
      fc.double({ min: 50, max: 5000, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(value, { maxLength: 300 }), { minLength: 1, maxLength: 3 }), (arms) => {
        const { binEdges, counts } = sharedHistogram(arms.map(countsOf));
        expect(binEdges.length).toBeLessThanOrEqual(41);
        for (const [i, edge] of binEdges.slice(1).entries()) expect(edge).toBeGreaterThan(binEdges[i]!);
        for (const [arm, values] of arms.entries()) {
          expect(counts[arm]).toHaveLength(binEdges.length - 1);
          expect(sum(counts[arm]!)).toBe(values.length);
          for (const [i, count] of counts[arm]!.entries()) {
            const [low, high] = [binEdges[i]!, binEdges[i + 1]!];
            const slack = 1e-12 * Math.max(Math.abs(low), Math.abs(high));
            const inside = values.filter((x) => x >= low - slack && x <= high + slack).length;
            expect(inside).toBeGreaterThanOrEqual(count);
          }
        }
      }),
    );
  });
});

describe("fineBinEdges", () => {
  test.each([1, -1, 0.02, 1234.5, -1234.5, 1e300, -1e-300])("lie around %d, 2 %% apart", (value) => {
    const [low, high] = fineBinEdges(fineBin(value));
    expect(low).toBeLessThanOrEqual(value);
    expect(high).toBeGreaterThanOrEqual(value);
    expect(value > 0 ? high / low : low / high).toBeCloseTo(1.02, 9);
  });

  test("are 0 for 0", () => expect(fineBinEdges(fineBin(0))).toEqual([0, 0]));

  test("follow one another", () => {
    for (const bin of [fineBin(5), fineBin(-5), fineBin(1)])
      expect(fineBinEdges(bin)[1]).toBe(fineBinEdges(bin + 1)[0]);
  });
});

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
