import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fisherExact } from "./fisher-exact.ts";
import { type BinaryCounts, newcombeInterval, smallestExpectedCell } from "./proportions.ts";
import { twoProportionZ } from "./two-proportion-z.ts";

describe("binary metrics", () => {
  const proportionZ = (control: BinaryCounts, treatment: BinaryCounts) =>
    twoProportionZ([{ control, treatment }]);
  const of = (successes: number, n: number): BinaryCounts => ({ successes, n });

  test.each([
    { name: "nobody", control: of(0, 40), treatment: of(0, 60) },
    { name: "everybody", control: of(40, 40), treatment: of(60, 60) },
  ])("find no difference when $name succeeds", ({ control, treatment }) => {
    const [ciLow, ciHigh] = newcombeInterval([{ control, treatment }]);
    const expected = {
      statistic: null,
      pValue: 1,
      effect: 0,
      ciLow,
      ciHigh,
      standardError: null,
      criticalValue: null,
    };
    expect(proportionZ(control, treatment)).toMatchObject({ test: "two_proportion_z", ...expected });
    expect(fisherExact(control, treatment)).toMatchObject({ test: "fisher_exact", ...expected });
  });

  test("floor a p-value that underflows", () => {
    expect(proportionZ(of(0, 100_000), of(100_000, 100_000))).toMatchObject({ pValue: 1e-300, effect: 1 });
    expect(fisherExact(of(0, 100_000), of(100_000, 100_000))).toMatchObject({
      pValue: 1e-300,
      statistic: null,
    });
  });

  test("report the sample odds ratio with Fisher's test", () => {
    expect(fisherExact(of(2, 10), of(5, 10))!.statistic).toBeCloseTo(4, 12);
  });

  test("give the Wald standard error and Fieller's lift", () => {
    const { standardError, criticalValue, relative } = proportionZ(of(200, 1000), of(240, 1000))!;
    expect(standardError).toBeCloseTo(Math.sqrt((0.2 * 0.8 + 0.24 * 0.76) / 1000), 14);
    expect(criticalValue).toBeCloseTo(1.959963984540054, 14);
    expect(relative.effect).toBeCloseTo(0.2, 12);
    expect(relative.ciLow! < 0.2 && relative.ciHigh! > 0.2).toBe(true);
  });

  test("have a difference and a lift that exclude 0 together", () => {
    const users = fc.integer({ min: 20, max: 400 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(users, users, share, share, (nC, nT, c, t) => {
        const outcome = proportionZ(of(Math.round(c * nC), nC), of(Math.round(t * nT), nT))!;
        const { ciLow, ciHigh, relative } = outcome;
        fc.pre(relative.ciLow !== null);
        const excludes = (low: number, high: number) => low > 1e-12 || high < -1e-12;
        expect(excludes(relative.ciLow!, relative.ciHigh!)).toBe(excludes(ciLow!, ciHigh!));
      }),
    );
  });

  test.each([
    [of(5, 100), of(5, 50), (50 * 10) / 150],
    [of(99, 100), of(49, 50), (50 * 2) / 150],
  ])("know their smallest expected cell", (control, treatment, cell) => {
    expect(smallestExpectedCell([{ control, treatment }])).toBeCloseTo(cell, 12);
  });

  test.each([
    { name: "no users", outcome: proportionZ({ n: 0, successes: 0 }, { n: 5, successes: 1 }) },
    {
      name: "more successes than users",
      outcome: fisherExact({ n: 5, successes: 1 }, { n: 5, successes: 6 }),
    },
    { name: "fewer than none", outcome: proportionZ({ n: 5, successes: -1 }, { n: 5, successes: 1 }) },
    {
      name: "successes that are no number",
      outcome: fisherExact({ n: 5, successes: Number.NaN }, { n: 5, successes: 1 }),
    },
  ])("have no outcome for $name", ({ outcome }) => expect(outcome).toBeNull());
});
