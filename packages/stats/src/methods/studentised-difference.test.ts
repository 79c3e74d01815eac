import { describe, expect, test } from "vitest";
import { type Moments, mergeMoments, mergeRatioMoments, type RatioMoments } from "../moments.ts";
import { ratioDelta } from "./ratio-delta.ts";
import { welchT } from "./welch-t.ts";

type User = readonly [y: number, d: number];

const momentsOf = (values: readonly number[]): Moments =>
  values.map((mean) => ({ n: 1, mean, m2: 0 })).reduce(mergeMoments);
const ratioOf = (users: readonly User[]): RatioMoments =>
  users.map(([meanY, meanD]) => ({ n: 1, meanY, meanD, m2Y: 0, m2D: 0, cYD: 0 })).reduce(mergeRatioMoments);
const welch = (control: readonly number[], treatment: readonly number[]) =>
  welchT([{ control: momentsOf(control), treatment: momentsOf(treatment) }]);
const ratio = (control: readonly User[], treatment: readonly User[]) =>
  ratioDelta([{ control: ratioOf(control), treatment: ratioOf(treatment) }]);

const treated: User[] = [
  [3, 2],
  [5, 3],
  [1, 1],
  [9, 5],
  [4, 2],
  [7, 4],
  [2, 1],
  [6, 4],
];
const controls: User[] = [
  [2, 2],
  [4, 3],
  [1, 1],
  [3, 3],
  [8, 6],
  [5, 4],
  [2, 1],
];

describe("ratioDelta", () => {
  /**
   * scipy 1.17.1, an independent route: stats.ttest_ind(equal_var=False) on the values (y − R d) / mean(d) + R of each arm,
   * its confidence_interval(), and Fieller's bounds by optimize.brentq on (mT − ρ mC)² − t.ppf(.975, df)² (vT + ρ² vC).
   */
  test("agrees with Welch's test of the linearised values", () => {
    expect(ratio(controls, treated)).toEqual({
      test: "ratio_delta",
      statistic: expect.closeTo(4.326123318103354, 11),
      pValue: expect.closeTo(0.000841771390386705, 14),
      permutationsUsed: 0,
      isAtFloor: false,
      controlValue: expect.closeTo(25 / 20, 14),
      treatmentValue: expect.closeTo(37 / 22, 14),
      effect: expect.closeTo(37 / 22 - 25 / 20, 14),
      ciLow: expect.closeTo(0.21595043603819541, 12),
      ciHigh: expect.closeTo(0.6476859275981679, 12),
      standardError: expect.closeTo((37 / 22 - 25 / 20) / 4.326123318103354, 12),
      criticalValue: expect.closeTo((0.6476859275981679 - 0.21595043603819541) / 2 / 0.09981643, 5),
      relative: {
        effect: expect.closeTo(0.34545454545454524, 13),
        ciLow: expect.closeTo(0.15825986843676487, 11),
        ciHigh: expect.closeTo(0.5743997350370136, 11),
      },
    });
  });

  test("is Welch's test when every user counts once", () => {
    const once = (users: readonly User[]) => users.map(([y]): User => [y, 1]);
    const values = (users: readonly User[]) => users.map(([y]) => y);
    const outcome = ratio(once(controls), once(treated))!;
    expect(outcome.pValue).toBeCloseTo(welch(values(controls), values(treated))!.pValue, 12);
  });

  test.each([
    ["control", { ...ratioOf(controls), meanD: 0 }, ratioOf(treated)],
    ["treatment", ratioOf(controls), { ...ratioOf(treated), meanD: 0 }],
  ])("has no row without a denominator in %s", (_, control, treatment) => {
    expect(ratioDelta([{ control, treatment }])).toBeNull();
  });
});

describe("arms without spread", () => {
  const constant = (value: number, n: number) => new Array<number>(n).fill(value);
  const proportional = (rate: number, n: number) =>
    Array.from({ length: n }, (_, i): User => [rate * (i + 1), i + 1]);
  const degenerate = {
    test: "permutation",
    permutationsUsed: 0,
    isAtFloor: false,
    statistic: null,
    ciLow: null,
    ciHigh: null,
    standardError: null,
    criticalValue: null,
  };

  test.each([
    {
      name: "equal means",
      outcome: welch(constant(0.1, 30), constant(0.1, 20)),
      pValue: 1,
      effect: 0,
      lift: 0,
    },
    {
      name: "equal zeros",
      outcome: welch(constant(0, 30), constant(0, 20)),
      pValue: 1,
      effect: 0,
      lift: null,
    },
    {
      name: "equal ratios",
      outcome: ratio(proportional(0.3, 9), proportional(0.3, 8)),
      pValue: 1,
      effect: 0,
      lift: 0,
    },
    // One of C(5, 2) = 10 ways. With arms of equal size the mirror image counts too: 2 of C(6, 3) = 20.
    {
      name: "different means",
      outcome: welch(constant(2, 3), constant(3, 2)),
      pValue: 0.1,
      effect: 1,
      lift: 0.5,
    },
    {
      name: "means of arms of one size",
      outcome: welch(constant(2, 3), constant(3, 3)),
      pValue: 0.1,
      effect: 1,
      lift: 0.5,
    },
    {
      name: "different ratios",
      outcome: ratio(proportional(0.2, 3), proportional(0.3, 2)),
      pValue: 0.1,
      effect: 0.1,
      lift: 0.5,
    },
    {
      name: "many users",
      outcome: welch(constant(2, 900), constant(3, 900)),
      pValue: 1e-300,
      effect: 1,
      lift: 0.5,
    },
  ])("$name get the exact permutation p-value", ({ outcome, pValue, effect, lift }) => {
    expect(outcome).toMatchObject({ ...degenerate, effect: expect.closeTo(effect, 12) });
    expect(outcome!.pValue / pValue).toBeCloseTo(1, 9);
    expect(outcome!.relative).toEqual({
      effect: lift && expect.closeTo(lift, 12),
      ciLow: null,
      ciHigh: null,
    });
  });

  test("one such arm does not prevent an outcome", () => {
    expect(welch(constant(2, 5), [1, 2, 3, 4, 5])).toMatchObject({
      test: "welch_t",
      statistic: expect.closeTo(Math.SQRT2, 12),
    });
  });
});

describe("no outcome, never NaN", () => {
  const usual = momentsOf([1, 2, 3]);
  test.each([
    { name: "one user in control", outcome: welchT([{ control: momentsOf([1]), treatment: usual }]) },
    { name: "one user in treatment", outcome: welchT([{ control: usual, treatment: momentsOf([1]) }]) },
    { name: "squares that overflow", outcome: welch([1e300, -1e300, 3], [1, 2, 3]) },
    { name: "sums that overflow", outcome: welch([1.7e308, -1.7e308, 1.7e308], [1, 2, 3]) },
    {
      name: "constants whose difference overflows",
      outcome: welch([-1.7e308, -1.7e308], [1.7e308, 1.7e308]),
    },
    { name: "no number", outcome: welchT([{ control: { ...usual, m2: Number.NaN }, treatment: usual }]) },
    {
      name: "a ratio that overflows",
      outcome: ratio(
        [
          [1e300, 1],
          [1, 1],
        ],
        treated,
      ),
    },
    { name: "a statistic that overflows", outcome: welch([1e-150, 2e-150], [1e160, 1e160]) },
  ])("for $name", ({ outcome }) => expect(outcome).toBeNull());

  test("values of 1e140 still have one", () => {
    expect(welch([1e140, 2e140, 3e140], [2e140, 4e140, 6e140])!.pValue).toBeCloseTo(
      welch([1, 2, 3], [2, 4, 6])!.pValue,
      12,
    );
  });
});
