import { describe, expect, test } from "vitest";
import { combineStrata, satterthwaiteDf, userShares } from "./strata.ts";

test("userShares weigh both arms' users", () => {
  const strata = [
    { control: 10, treatment: 20 },
    { control: 60, treatment: 10 },
  ];
  expect(userShares(strata, (users) => users)).toEqual([0.3, 0.7]);
});

describe("combineStrata", () => {
  const control = { n: 10, value: 0.1, variance: 0.7 };
  const treatment = { n: 30, value: 0.3, variance: 0.9 };

  test("leaves one stratum as it is", () => {
    expect(combineStrata([{ control, treatment }])).toEqual({
      control: { ...control, df: 9 },
      treatment: { ...treatment, df: 29 },
    });
  });

  test("weights values by users and variances by the square", () => {
    const other = { control: { n: 40, value: 1, variance: 2 }, treatment: { n: 80, value: 2, variance: 0 } };
    const combined = combineStrata([{ control, treatment }, other]);
    expect(combined.control).toMatchObject({
      n: 50,
      value: expect.closeTo(0.25 * 0.1 + 0.75, 14),
      variance: expect.closeTo(0.7 / 16 + (2 * 9) / 16, 14),
    });
    expect(combined.treatment).toMatchObject({ n: 110, df: 29, variance: expect.closeTo(0.9 / 16, 14) });
  });
});

test.each([
  { a: { variance: 1, df: 4 }, b: { variance: 3, df: 12 }, df: 16 / (1 / 4 + 9 / 12) },
  { a: { variance: 1, df: 4 }, b: { variance: 0, df: 12 }, df: 4 },
  { a: { variance: 0, df: 4 }, b: { variance: 0, df: 12 }, df: 16 },
])("satterthwaiteDf of variances $a.variance and $b.variance is $df", ({ a, b, df }) => {
  expect(satterthwaiteDf(a, b)).toBeCloseTo(df, 12);
  expect(satterthwaiteDf(b, a)).toBeCloseTo(df, 12);
});
