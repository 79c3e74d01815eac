import { expect, test } from "vitest";
import { exactMultinomial } from "./exact-split.ts";
import { quadraticForm } from "./quadratic-form.ts";
import { srmTest } from "./srm-test.ts";

test("up to a million splits are enumerated, otherwise 100,000 are drawn", () => {
  /** Whether p comes from draws: (b + 1) / 100,001. Three arms with n users have (n + 1) (n + 2) / 2 splits. */
  const isDrawn = (users: number) => {
    const observed = [4, 700, users - 704];
    const { pValue } = srmTest({ periods: [{ shares: [1, 499, 500], users }], observed, seed: 1 });
    const rank = pValue * 100_001;
    return Math.abs(rank - Math.round(rank)) < 1e-6;
  };
  expect(isDrawn(1_412)).toBe(false);
  expect(isDrawn(1_413)).toBe(true);
});

test("splits more likely than the observed one by over 1e-7 do not count", () => {
  const pValue = (excess: number) => {
    const other = 0.3 * Math.exp(excess);
    return exactMultinomial([1, 0, 0], [0.3, other, 0.7 - other]);
  };
  expect(pValue(0.9e-7)).toBeCloseTo(0.6, 6);
  expect(pValue(1.1e-7)).toBeCloseTo(0.3, 6);
});

test("a count that the allocation determines may be off by a thousandth, for rounding", () => {
  const fixed = quadraticForm({
    expected: [5, 5],
    covariance: [
      [0, 0],
      [0, 0],
    ],
  });
  expect(fixed.distance([5.00099, 5])).toBe(0);
  expect(fixed.distance([5.00101, 5])).toBeNull();
  expect(fixed.distance([4.99899, 5])).toBeNull();
});

test("a variance of a billionth of an arm's own counts as 0", () => {
  const rank = (rest: number) => {
    const covariance = Math.sqrt(1 - rest);
    return quadraticForm({
      expected: [1, 1],
      covariance: [
        [1, covariance],
        [covariance, 1],
      ],
    }).df;
  };
  expect(rank(1.1e-9)).toBe(2);
  expect(rank(0.9e-9)).toBe(1);
});
