import { describe, expect, test } from "vitest";
import { clusteredMean } from "./clusters/clustered-mean.ts";
import { spreadOf } from "./cuped/cuped-fit.ts";
import { twoSidedExact } from "./distributions/two-sided-exact.ts";
import { clusterBootstrap } from "./methods/cluster-bootstrap.ts";
import { ppiDifference } from "./methods/ppi.ts";
import { ratioDelta } from "./methods/ratio-delta.ts";
import { studentisedDifference } from "./methods/studentised-difference.ts";
import { momentsFromSums } from "./moments.ts";
import { permuteRatios } from "./permutation/permutation-test.ts";
import { differenceOf } from "./permutation/pooled-stratum.ts";
import { skewnessOf } from "./skew.ts";
import { weightedSlope } from "./weighted-slope.ts";

/** Just above and just below 1e-12, the share of a value below which a spread counts as rounding. */
const SIZES = [
  { size: 2e-12, isKept: true },
  { size: 0.5e-12, isKept: false },
];

describe.each(SIZES)("a spread of $size of the value is kept: $isKept", ({ size, isKept }) => {
  test("of shifted sums, where it is a share of the squares", () => {
    // 1 ± √size: the squares are 2 + 2 size.
    const m2 = momentsFromSums({ n: 2, sum: 2, sumSquares: 2 + 2 * size, shift: 0 })!.m2;
    if (isKept) expect(m2 / (2 * size)).toBeCloseTo(1, 3);
    else expect(m2).toBe(0);
  });

  test("of a ratio whose numerator follows the denominator", () => {
    // The spread of y − d, in units of that of y plus that of d.
    const arm = { n: 50, meanY: 1, meanD: 1, m2Y: 1, m2D: 1, cYD: 1 - size };
    const { standardError } = ratioDelta([{ control: arm, treatment: { ...arm, n: 60 } }])!;
    const variance = (n: number) => (2 * size) / (n - 1) / n;
    if (isKept) expect(standardError! / Math.sqrt(variance(50) + variance(60))).toBeCloseTo(1, 3);
    else expect(standardError).toBeNull();
  });

  test("of two means", () => {
    const arm = (value: number) => ({ n: 100, value, variance: (value * size) ** 2 / 100 });
    const { standardError } = studentisedDifference("welch_t", [{ control: arm(1), treatment: arm(2) }])!;
    if (isKept) expect(standardError! / (0.1 * Math.hypot(size, 2 * size))).toBeCloseTo(1, 9);
    else expect(standardError).toBeNull();
  });

  test("between two arms of one value each", () => {
    const arm = (value: number) => ({ n: 100, value, variance: 0 });
    const strata = [{ control: arm(1), treatment: arm(1 + size) }];
    const { effect, pValue, treatmentValue } = studentisedDifference("welch_t", strata)!;
    expect(treatmentValue).toBe(isKept ? 1 + size : 1);
    if (isKept) expect(effect / size).toBeCloseTo(1, 3);
    else expect(effect).toBe(0);
    expect(pValue < 0.05).toBe(isKept);
  });

  test("of the values that a bootstrap compares", () => {
    const functional = {
      usersOf: () => 20,
      prepare:
        ([value = 0]: readonly number[]) =>
        () => ({ value, variance: 1 }),
    };
    const strata = [{ control: 1, treatment: 1 + size }];
    const { effect } = clusterBootstrap(strata, { functional, replicates: 39, seed: 1 })!;
    if (isKept) expect(effect / size).toBeCloseTo(1, 3);
    else expect(effect).toBe(0);
  });

  test("of labels", () => {
    const labels = (gap: number) =>
      Array.from({ length: 100 }, (_, cluster) => {
        return { cluster, weight: 1, score: 0, label: 1 + (cluster % 2) * gap };
      });
    // If half of the labels are higher by twice the size, their deviation is the size.
    const found = ppiDifference({ control: labels(2 * size), treatment: labels(1) });
    expect(found !== null).toBe(isKept);
  });

  test("of the scores of a permuted ratio", () => {
    const arm = (users: number) => {
      const d = new Float64Array(users).fill(1);
      return { d, y: d.map((one, user) => one + (user % 2 === 0 ? size : -size)) };
    };
    const strata = [{ control: arm(6), treatment: arm(4) }];
    expect(permuteRatios(strata, { permutations: 99, seed: 1 }) !== null).toBe(isKept);
  });

  test("of an arm under a relabeling, where it is a share of the squares", () => {
    const stratum = { firstSize: 2, secondSize: 2, sign: 1, share: 1 } as const;
    const none = { sum: 0, squares: 0 };
    const sums = { first: { sum: Math.sqrt(2 * (1 - size)), squares: 1 }, second: none };
    const { variance } = differenceOf({ ...stratum, ...sums }, sums);
    if (isKept) expect(variance / (size / 2)).toBeCloseTo(1, 2);
    else expect(variance).toBe(0);
  });

  test("of the points that a line is fitted to, where it is a share of the squares", () => {
    const points = [1, 2, 4, 3, 5, 9].map((y, cluster) => {
      return { cluster, weight: 1, x: 1 + (cluster % 2 === 0 ? 1 : -1) * Math.sqrt(size), y };
    });
    expect(weightedSlope(points) !== null).toBe(isKept);
    expect(weightedSlope(points.map(({ x, y, ...point }) => ({ ...point, x: y, y: x }))) !== null).toBe(
      isKept,
    );
  });

  test("of skewed values", () => {
    // Gaps of 1, 1, 1 and −3 units; their mean square is 3.
    const unit = size / Math.sqrt(3);
    const skewness = skewnessOf([Float64Array.of(1, 1, 1, 1 - 4 * unit)]);
    // Cubes −24 and squares 12 of four users: −24 · √4 / 12^1.5.
    if (isKept) expect(skewness).toBeCloseTo(-48 / 12 ** 1.5, 3);
    else expect(skewness).toBe(0);
  });

  test("of a ratio from before the experiment", () => {
    const ones = new Float64Array(40).fill(1);
    const x = ones.map((one, user) => 1_000 * (one + (user % 2 === 0 ? size : -size)));
    const { varianceX } = spreadOf([{ y: ones, d: ones, x, xd: ones.map(() => 10) }]);
    // The ratio is 100.
    if (isKept) expect(varianceX / (((100 * size) ** 2 * 40) / 39)).toBeCloseTo(1, 3);
    else expect(varianceX).toBe(0);
  });

  test("of the error of a mean of paired differences", () => {
    const values = [4 * (1 - size), 4 * (1 + size)];
    const { standardError } = clusteredMean(values.map((value, cluster) => ({ cluster, weight: 1, value })))!;
    if (isKept) expect(standardError / (4 * size)).toBeCloseTo(1, 3);
    else expect(standardError).toBe(0);
  });
});

test("outcomes as likely as the observed one count; those more likely by over 1e-7 do not", () => {
  const pValue = (excess: number) => {
    const logs = [Math.log(0.2) + excess, Math.log(0.6), Math.log(0.2)];
    return twoSidedExact({ logPmf: (k) => logs[k]!, low: 0, high: 2, mode: 1 }, 2);
  };
  expect(pValue(0)).toBeCloseTo(0.4, 12);
  expect(pValue(0.9e-7)).toBeCloseTo(0.4, 6);
  expect(pValue(1.1e-7)).toBeCloseTo(0.2, 6);
  expect(pValue(-1)).toBeCloseTo(0.2 + 0.2 / Math.E, 12);
});

test("a bootstrap needs twenty users in every arm of a stratum", () => {
  const functional = {
    usersOf: (users: number) => users,
    prepare:
      ([value = 0]: readonly number[]) =>
      () => ({ value, variance: 1 }),
  };
  const hasRow = (control: number, treatment: number) =>
    clusterBootstrap([{ control, treatment }], { functional, replicates: 39, seed: 1 }) !== null;
  expect(hasRow(20, 20)).toBe(true);
  expect(hasRow(19, 20)).toBe(false);
  expect(hasRow(20, 19)).toBe(false);
});

test("labels of two users are enough for a spread, those of one are not", () => {
  const arm = (users: number) =>
    Array.from({ length: 40 }, (_, call) => {
      return { cluster: call % users, weight: 1, score: 0, label: call % users === 0 ? 1 : 0 };
    });
  expect(ppiDifference({ control: arm(2), treatment: arm(5) })).not.toBeNull();
  expect(ppiDifference({ control: arm(1), treatment: arm(5) })).toBeNull();
});
