import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { skewnessOf, usersForSkew } from "./skew.ts";

const of = (...values: number[]) => Float64Array.from(values);

test.each([
  {
    name: "scipy.stats.skew([2, 8, 0, 4, 1, 9, 9, 0])",
    groups: [of(2, 8, 0, 4, 1, 9, 9, 0)],
    skewness: 0.2650554122698573,
  },
  { name: "scipy.stats.skew([1, 2, 3, 4, 5])", groups: [of(1, 2, 3, 4, 5)], skewness: 0 },
  {
    name: "one of a hundred",
    groups: [of(...new Array(99).fill(0), 1)],
    skewness: 0.98 / Math.sqrt(0.99 * 0.01),
  },
  { name: "no users", groups: [], skewness: 0 },
  { name: "zeros", groups: [of(0, 0)], skewness: 0 },
  { name: "no spread but rounding", groups: [of(0.1 + 0.2, 0.3), of(7, 7)], skewness: 0 },
])("the skewness of $name is $skewness", ({ groups, skewness }) => {
  expect(skewnessOf(groups)).toBeCloseTo(skewness, 10);
});

test("scaling or shifting groups does not change skewness; mirroring changes its sign", () => {
  const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 30 });
  fc.assert(
    fc.property(values, values, fc.integer({ min: -99, max: 99 }), (a, b, shift) => {
      const skewness = skewnessOf([of(...a), of(...b)]);
      expect(
        skewnessOf([of(...a.map((x) => 1e200 * (x + shift))), of(...b.map((x) => 1e200 * x))]),
      ).toBeCloseTo(skewness, 6);
      expect(skewnessOf([of(...a.map((x) => -x)), of(...b.map((x) => -x))])).toBeCloseTo(-skewness, 9);
    }),
  );
});

describe("the users that skewness requires in the smaller arm", () => {
  test.each([
    { skewness: 0, control: 500, treatment: 500, users: 0 },
    { skewness: 2, control: 500, treatment: 500, users: 40 },
    { skewness: 0.1, control: 500, treatment: 500, users: 1 },
    // 355 (1 - r)² / (1 + r) with r = 1/9.
    { skewness: 1, control: 1_800, treatment: 200, users: 253 },
    { skewness: -2, control: 200, treatment: 1_800, users: 1_010 },
    { skewness: 1, control: 1_000_000, treatment: 1, users: 355 },
  ])("$skewness with $control and $treatment users: $users", ({ skewness, control, treatment, users }) => {
    expect(usersForSkew(skewness, { control, treatment })).toBe(users);
  });

  test("make the difference as skewed as a mean of 355 users", () => {
    const sizes = { control: 3_000, treatment: 1_000 };
    const moment = (users: number) => 1 / users ** 2;
    const ofDifference = (n: number) => (moment(n) - moment(3 * n)) / (1 / n + 1 / (3 * n)) ** 1.5;
    expect(ofDifference(usersForSkew(1, sizes))).toBeCloseTo(1 / Math.sqrt(355), 3);
  });
});
