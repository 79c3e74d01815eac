import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { exactRankSumP, mannWhitneyU } from "./mann-whitney-u.ts";
import { rankSum } from "./rank-sum.ts";

const arms = (control: readonly number[], treatment: readonly number[]) => ({
  control: Float64Array.from(control),
  treatment: Float64Array.from(treatment),
});
const mwu = (control: readonly number[], treatment: readonly number[]) =>
  mannWhitneyU([arms(control, treatment)]);

/** Pain scores of Neubert & Brunner 2007, the example of R's brunner.munzel.test. */
const pain = {
  control: [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1],
  treatment: [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4],
};

describe("mannWhitneyU", () => {
  /**
   * scipy 1.17.1: stats.brunnermunzel(control, treatment) gives statistic 3.13746748 and p .00578621, hence the standard
   * error and df; bounds by stats.t.ppf; p by stats.mannwhitneyu(treatment, control, method="asymptotic").
   */
  test("has Brunner and Munzel's interval around the probability", () => {
    expect(mwu(pain.control, pain.treatment)).toEqual({
      test: "mann_whitney_u",
      statistic: expect.closeTo(0.788961038961039 * 14 * 11, 10),
      pValue: expect.closeTo(0.007740786705107166, 12),
      permutationsUsed: 0,
      isAtFloor: false,
      controlValue: 0.5,
      treatmentValue: expect.closeTo(0.788961038961039, 13),
      effect: expect.closeTo(0.288961038961039, 13),
      ciLow: expect.closeTo(0.0952168642537364, 10),
      ciHigh: expect.closeTo(0.4827052136683415, 10),
      standardError: expect.closeTo(0.09210009046816862, 12),
      criticalValue: expect.closeTo((0.4827052136683415 - 0.0952168642537364) / 2 / 0.09210009046816862, 9),
      relative: { effect: null, ciLow: null, ciHigh: null },
    });
  });

  test("is exact up to 25 users per arm and no further", () => {
    const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);
    const shifted = (n: number) => upTo(n).map((i) => 1.3 * i - 3.05);
    const isExact = (m: number, n: number) => {
      const { statistic, pValue } = mwu(upTo(m), shifted(n))!;
      return Math.abs(pValue - exactRankSumP(statistic!, { control: m, treatment: n })) < 1e-12;
    };
    expect([isExact(25, 25), isExact(26, 25), isExact(25, 26)]).toEqual([true, false, false]);
  });

  test.each([
    { name: "all values equal", outcome: mwu([7, 7, 7], [7, 7]), pValue: 1, effect: 0 },
    { name: "arms wholly apart", outcome: mwu([1, 2, 3], [4, 5, 6]), pValue: 0.1, effect: 0.5 },
  ])("$name give no interval", ({ outcome, pValue, effect }) => {
    expect(outcome).toMatchObject({
      pValue: expect.closeTo(pValue, 12),
      effect,
      treatmentValue: 0.5 + effect,
      ciLow: null,
      ciHigh: null,
      standardError: null,
      criticalValue: null,
    });
  });

  test("values of 1e308 and infinity are ordinary values", () => {
    expect(mwu([-1e308, 1e308, 3], [Number.POSITIVE_INFINITY, 0, 4])).toEqual(mwu([1, 5, 3], [6, 2, 4]));
  });

  test.each([
    { name: "no strata", outcome: mannWhitneyU([]) },
    { name: "one user in control", outcome: mwu([1], [1, 2]) },
    { name: "one user in treatment", outcome: mwu([1, 2], [1]) },
    { name: "a control value that is no number", outcome: mwu([1, Number.NaN], [1, 2]) },
    { name: "a treatment value that is no number", outcome: mwu([1, 2], [Number.NaN, 2]) },
    { name: "an empty stratum", outcome: mannWhitneyU([arms([1, 2], [2, 3]), arms([], [1, 2])]) },
  ])("$name have no outcome", ({ outcome }) => expect(outcome).toBeNull());
});

describe("every rank sum", () => {
  const values = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 20 });

  test("swapping the arms flips effect and interval and keeps p", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [here, there] = [mwu(a, b)!, mwu(b, a)!];
        expect(there.effect).toBeCloseTo(-here.effect, 12);
        expect(there.pValue).toBeCloseTo(here.pValue, 12);
        fc.pre(here.ciLow !== null);
        expect(there.ciHigh).toBeCloseTo(-here.ciLow!, 12);
        expect(there.ciLow).toBeCloseTo(-here.ciHigh!, 12);
      }),
    );
  });

  test("a monotone transform changes nothing", () => {
    const transform = (xs: readonly number[]) => xs.map((x) => Math.exp(x / 3) - 100);
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(mwu(transform(a), transform(b))).toEqual(mwu(a, b));
      }),
    );
  });

  test("effect and variance match those over all pairs", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const win = (x: number, y: number) => (x > y ? 1 : x === y ? 0.5 : 0);
        const average = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length;
        const placements = (xs: readonly number[], ys: readonly number[]) =>
          xs.map((x) => average(ys.map((y) => win(x, y))));
        const variance = (xs: readonly number[]) => {
          const centre = average(xs);
          return xs.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (xs.length - 1) / xs.length;
        };
        const { u, deviation } = rankSum(arms(a, b))!;
        expect(u / (a.length * b.length)).toBeCloseTo(average(placements(b, a)), 12);
        expect(deviation.treatment.variance).toBeCloseTo(variance(placements(b, a)), 12);
        expect(deviation.control.variance).toBeCloseTo(variance(placements(a, b)), 12);
      }),
    );
  });

  test("the exact p-value counts all orders", () => {
    for (const [m, n] of [
      [1, 1],
      [2, 3],
      [4, 4],
      [6, 2],
    ] as const) {
      const wins = (mask: number) => {
        let [sum, below] = [0, 0];
        for (let i = 0; i < m + n; i++) {
          if ((mask >> i) & 1) sum += below;
          else below++;
        }
        return sum;
      };
      const popCount = (mask: number) => mask.toString(2).replaceAll("0", "").length;
      const all = Array.from({ length: 2 ** (m + n) }, (_, mask) => mask).filter(
        (mask) => popCount(mask) === n,
      );
      for (let u = 0; u <= m * n; u++) {
        const share = (isIn: (w: number) => boolean) =>
          all.filter((mask) => isIn(wins(mask))).length / all.length;
        const expected = Math.min(
          1,
          2 *
            Math.min(
              share((w) => w <= u),
              share((w) => w >= u),
            ),
        );
        expect(exactRankSumP(u, { control: m, treatment: n })).toBeCloseTo(expected, 12);
      }
    }
  });
});

describe("over strata", () => {
  test("effects are weighted by users, and a shift between strata does not matter", () => {
    const [a, b] = [arms([1, 4, 6, 8], [2, 5, 9, 10, 12]), arms([3, 3, 7], [4, 8, 9])];
    const moved = arms([1_003, 1_003, 1_007], [1_004, 1_008, 1_009]);
    const both = mannWhitneyU([a, b])!;
    const single = [mannWhitneyU([a])!, mannWhitneyU([b])!];
    expect(both.effect).toBeCloseTo((9 / 15) * single[0]!.effect + (6 / 15) * single[1]!.effect, 12);
    expect(both.statistic).toBe(single[0]!.statistic! + single[1]!.statistic!);
    expect(mannWhitneyU([a, moved])).toEqual(both);
  });

  test("equal arms are rejected one time in twenty, and the interval holds the truth as often", () => {
    const uniform = createUniform(11);
    const draw = (n: number, level: number) =>
      Float64Array.from({ length: n }, () => Math.floor(level - 4 * Math.log(1 - uniform())));
    const runs = 1_000;
    let [rejected, missed] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const { pValue, ciLow, ciHigh } = mannWhitneyU([
        { control: draw(90, 0), treatment: draw(30, 0) },
        { control: draw(50, 3), treatment: draw(60, 3) },
      ])!;
      if (pValue < 0.05) rejected++;
      if (ciLow! > 0 || ciHigh! < 0) missed++;
    }
    // 99.9 % of binomial(1,000, .05).
    for (const count of [rejected, missed]) {
      expect(count).toBeGreaterThanOrEqual(29);
      expect(count).toBeLessThanOrEqual(74);
    }
  });
});
