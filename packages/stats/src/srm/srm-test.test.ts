import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { type SrmInput, srmTest } from "./srm-test.ts";

const seed = 42;
const FLOOR = 1e-300;

/** One period with the given shares and the observed number of users. */
function onePeriod(shares: readonly number[], observed: readonly number[]): SrmInput {
  return { periods: [{ shares, users: observed.reduce((sum, count) => sum + count, 0) }], observed, seed };
}

const ramp = [
  { shares: [0.8, 0.1, 0.1], users: 1000 },
  { shares: [0.34, 0.33, 0.33], users: 900 },
];

/**
 * Expected values: numpy 2 and scipy 1.17.1; (O − E) @ pinv(V) @ (O − E) with stats.chi2.sf, and for small counts the sum of
 * stats.multinomial.pmf over all splits no more likely than the observed one (two periods: over all pairs of splits at
 * least as far away).
 */
describe("srmTest", () => {
  test.each([
    { name: "fits exactly", input: onePeriod([1, 1], [500, 500]), statistic: 0, df: 1, pValue: 1 },
    {
      name: "is Pearson's test for one period",
      input: onePeriod([0.5, 0.5], [520, 480]),
      statistic: 1.6,
      df: 1,
      pValue: 0.20590321073206466,
    },
    {
      name: "weighs allocation periods",
      input: { periods: ramp, observed: [1130, 380, 390], seed },
      statistic: 1.7172806436159362,
      df: 2,
      pValue: 0.423737837905228,
    },
    {
      name: "takes an arm that joins later",
      input: {
        periods: [
          { shares: [0.9, 0.1, 0], users: 1000 },
          { shares: [0.5, 0.25, 0.25], users: 1000 },
        ],
        observed: [1390, 370, 240],
        seed,
      },
      statistic: 1.6155844155844155,
      df: 2,
      pValue: 0.44584130538961986,
    },
    {
      name: "leaves an arm without a share out",
      input: onePeriod([0.5, 0, 0.5], [520, 0, 480]),
      statistic: 1.6,
      df: 1,
      pValue: 0.20590321073206466,
    },
    {
      name: "lists all splits of a small sample",
      input: onePeriod([1, 1, 1], [1, 2, 6]),
      statistic: 14 / 3,
      df: 2,
      pValue: 0.1656759640298733,
    },
    {
      name: "lists splits of unequal shares",
      input: onePeriod([0.5, 0.3, 0.2], [9, 3, 0]),
      statistic: 4,
      df: 2,
      pValue: 0.13314975062499979,
    },
    {
      name: "finds the likeliest split likely",
      input: onePeriod([1, 1, 1], [2, 2, 2]),
      statistic: 0,
      df: 2,
      pValue: 1,
    },
    {
      name: "is the exact binomial test for a small arm",
      input: onePeriod([0.5, 0.5], [3, 5]),
      statistic: 0.5,
      df: 1,
      pValue: 0.7265625,
    },
    { name: "has nothing to find in one arm", input: onePeriod([1], [3]), statistic: 0, df: 0, pValue: 1 },
    {
      name: "has nothing to find without users",
      input: onePeriod([0.5, 0.5], [0, 0]),
      statistic: 0,
      df: 0,
      pValue: 1,
    },
    {
      name: "knows counts that the allocation fixes",
      input: {
        periods: [
          { shares: [1, 1, 0, 0], users: 1000 },
          { shares: [0, 0, 1, 1], users: 500 },
        ],
        observed: [520, 480, 250, 250],
        seed,
      },
      statistic: 1.6,
      df: 2,
      pValue: 0.44932896411722156,
    },
  ])("$name", ({ input, statistic, df, pValue }) => {
    const outcome = srmTest(input);
    expect(outcome.statistic).toBeCloseTo(statistic, 10);
    expect(outcome.df).toBe(df);
    expect(outcome.pValue / pValue).toBeCloseTo(1, 9);
  });

  test("returns the expected users, 0 for an arm without a share", () => {
    expect(srmTest({ periods: ramp, observed: [1130, 380, 390], seed }).expected).toEqual(
      [1106, 397, 397].map((users) => expect.closeTo(users, 9)),
    );
    expect(srmTest(onePeriod([1, 0, 3], [100, 0, 300])).expected).toEqual([100, 0, 300]);
  });

  test.each([
    { name: "users in an arm without a share", input: onePeriod([0.5, 0.5, 0], [500, 500, 1]) },
    {
      name: "users in a period without shares",
      input: {
        periods: [
          { shares: [1, 1], users: 9 },
          { shares: [0, 0], users: 1 },
        ],
        observed: [5, 5],
        seed,
      },
    },
    {
      name: "counts that differ from what the allocation fixes",
      input: {
        periods: [
          { shares: [1, 0], users: 600 },
          { shares: [0, 1], users: 400 },
        ],
        observed: [599, 401],
        seed,
      },
    },
    {
      name: "users in an arm that shares only an empty period",
      input: {
        periods: [
          { shares: [1, 1, 0], users: 10 },
          { shares: [1, 1, 1], users: 0 },
        ],
        observed: [5, 4, 1],
        seed,
      },
    },
  ])("treats $name as impossible", ({ input }) => {
    expect(srmTest(input)).toMatchObject({ pValue: FLOOR, statistic: null });
  });

  test("floors a p-value that underflows", () => {
    expect(srmTest(onePeriod([0.5, 0.5], [1_000_000, 0])).pValue).toBe(FLOOR);
  });

  test("ignores a period without users, and an arm that occurs only in such a period", () => {
    const periods = [
      { shares: [1, 1, 0], users: 8 },
      { shares: [1, 1, 1], users: 0 },
    ];
    expect(srmTest({ periods, observed: [3, 5, 0], seed }).pValue).toBeCloseTo(0.7265625, 12);
  });

  test.each([
    {
      name: "shares that match no arm",
      input: { periods: [{ shares: [1], users: 2 }], observed: [1, 1], seed },
    },
    {
      name: "users that do not add up",
      input: { periods: [{ shares: [1, 1], users: 3 }], observed: [1, 1], seed },
    },
  ])("refuses $name", ({ input }) => expect(() => srmTest(input)).toThrow(RangeError));

  describe("small counts without an exact method", () => {
    const twoPeriods = {
      periods: [
        { shares: [0.8, 0.1, 0.1], users: 6 },
        { shares: [0.4, 0.3, 0.3], users: 8 },
      ],
      observed: [5, 2, 7],
    };

    test("over two periods come close to the exact p-value", () => {
      const { statistic, pValue } = srmTest({ ...twoPeriods, seed });
      expect(statistic).toBeCloseTo(7.291666666666668, 10);
      // Three standard errors of 100,000 draws.
      expect(Math.abs(pValue - 0.03159193157632002)).toBeLessThan(0.0017);
    });

    test("leave an arm empty in a period without a share for it", () => {
      const periods = [
        { shares: [1, 1, 0], users: 40 },
        { shares: [1, 1, 2], users: 8 },
      ];
      // The third arm can have at most 8 users, and has all 8 once in 2⁸ draws.
      const { pValue } = srmTest({ periods: periods.toReversed(), observed: [20, 20, 8], seed });
      expect(pValue).toBeGreaterThan(0.9 / 256);
      expect(pValue).toBeLessThan(0.03);
    });

    test("give the same p-value for the same seed", () => {
      expect(srmTest({ ...twoPeriods, seed: 7 })).toEqual(srmTest({ ...twoPeriods, seed: 7 }));
      expect(srmTest({ ...twoPeriods, seed: 7 }).pValue).not.toBe(srmTest({ ...twoPeriods, seed: 8 }).pValue);
    });

    test("over many users come close to chi-square's p-value", () => {
      // Arm c expects 4.9 users: too few for chi-square by the rule, but the counts are large enough for it to be accurate.
      const { statistic, df, pValue } = srmTest(onePeriod([0.4999, 0.4996, 0.0005], [4950, 4843, 7]));
      expect({ df, statistic }).toEqual({ df: 2, statistic: expect.closeTo(2.0, 0) });
      expect(Math.abs(pValue - Math.exp(-statistic! / 2))).toBeLessThan(0.03);
    });

    test("never give a p-value below one in 100,001", () => {
      const outcome = srmTest({
        periods: [
          { shares: [0.5, 0.5], users: 4 },
          { shares: [0.9995, 0.0005], users: 4000 },
        ],
        observed: [3900, 104],
        seed,
      });
      expect(outcome.pValue).toBe(1 / 100_001);
    });
  });
});

describe("error rate without a mismatch", () => {
  /** Splits users over two arms one by one. */
  function split(users: number, share: number, uniform: () => number): number[] {
    const counts = [0, 0];
    for (let i = 0; i < users; i++) {
      counts[uniform() < share ? 0 : 1]! += 1;
    }
    return counts;
  }

  test("is uniform over an allocation that changed from 80/20 to 50/50, and rarely below .001", () => {
    const uniform = createUniform(2024);
    const pValues = Array.from({ length: 4000 }, () => {
      const before = split(300, 0.8, uniform);
      const after = split(300, 0.5, uniform);
      const periods = [
        { shares: [0.8, 0.2], users: 300 },
        { shares: [0.5, 0.5], users: 300 },
      ];
      return srmTest({ periods, observed: before.map((count, arm) => count + after[arm]!), seed }).pValue;
    });
    const below = (level: number) => pValues.filter((p) => p < level).length;
    // 99.9 % binomial bands of 4,000.
    expect(below(0.05)).toBeGreaterThanOrEqual(155);
    expect(below(0.05)).toBeLessThanOrEqual(247);
    expect(below(0.5)).toBeGreaterThanOrEqual(1896);
    expect(below(0.5)).toBeLessThanOrEqual(2104);
    expect(below(0.001)).toBeLessThanOrEqual(12);
  });
});
