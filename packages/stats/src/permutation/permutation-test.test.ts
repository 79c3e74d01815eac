import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BinaryCounts } from "../methods/proportions.ts";
import { ratioDelta } from "../methods/ratio-delta.ts";
import type { TestOutcome } from "../methods/test-outcome.ts";
import { welchT } from "../methods/welch-t.ts";
import { momentsOf, ratioMomentsOf } from "../moments.ts";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import { permuteMeans, permuteProportions, permuteRatios, type RatioUsers } from "./permutation-test.ts";

const OPTIONS = { permutations: 2_500, seed: 1 };

const of = (...values: readonly number[]) => Float64Array.from(values);
const ratio = (...users: readonly (readonly [y: number, d: number])[]): RatioUsers => ({
  y: Float64Array.from(users, ([y]) => y),
  d: Float64Array.from(users, ([, d]) => d),
});
const swap = <A>({ control, treatment }: Stratum<A>): Stratum<A> => ({
  control: treatment,
  treatment: control,
});

const mouse = {
  control: of(94, 197, 16, 38, 99, 141, 23),
  treatment: of(52, 104, 146, 10, 51, 30, 40, 27, 46),
};
const calls = {
  control: ratio([2, 2], [4, 3], [1, 1], [3, 3], [8, 6], [5, 4], [2, 1]),
  treatment: ratio([3, 2], [5, 3], [1, 1], [9, 5], [4, 2], [7, 4], [2, 1], [6, 4]),
};
const conversions: Stratum<BinaryCounts> = {
  control: { n: 1000, successes: 100 },
  treatment: { n: 1200, successes: 150 },
};

const uniform = createUniform(6);
const values = (n: number, lift: number) => Float64Array.from({ length: n }, () => lift + uniform() ** 3);
const users = (n: number, level: number): RatioUsers => {
  const d = Float64Array.from({ length: n }, () => 1 + Math.floor(6 * uniform()));
  return { y: d.map((count) => count * level * (0.5 + uniform())), d };
};

function expectMirrored(outcome: TestOutcome, swapped: TestOutcome): void {
  expect(swapped.pValue).toBe(outcome.pValue);
  expect(swapped.effect).toBeCloseTo(-outcome.effect, 12);
  expect(swapped.ciLow).toBeCloseTo(-outcome.ciHigh!, 12);
  expect(swapped.ciHigh).toBeCloseTo(-outcome.ciLow!, 12);
}

describe("permuteMeans", () => {
  test("gives the closed form's estimates with the permutations' p and critical value", () => {
    const outcome = permuteMeans([mouse], OPTIONS)!;
    const closed = welchT([{ control: momentsOf(mouse.control), treatment: momentsOf(mouse.treatment) }])!;
    expect(outcome).toMatchObject({ test: "permutation", pValue: 3513 / 11_440, permutationsUsed: 11_440 });
    for (const key of ["statistic", "controlValue", "treatmentValue", "effect", "standardError"] as const) {
      expect(outcome[key], key).toBeCloseTo(closed[key]!, 10);
    }
    const half = outcome.criticalValue! * outcome.standardError!;
    expect(outcome.ciLow).toBeCloseTo(outcome.effect - half, 10);
    expect(outcome.ciHigh).toBeCloseTo(outcome.effect + half, 10);
    expect(outcome.relative.effect).toBeCloseTo(outcome.effect / outcome.controlValue, 12);
  });

  test("weighs strata by their users", () => {
    const strata = [
      { control: values(30, 1), treatment: values(60, 1.5) },
      { control: values(120, 3), treatment: values(90, 3.5) },
    ];
    const outcome = permuteMeans(strata, OPTIONS)!;
    const closed = welchT(
      strata.map(({ control, treatment }) => ({
        control: momentsOf(control),
        treatment: momentsOf(treatment),
      })),
    )!;
    for (const key of ["statistic", "controlValue", "treatmentValue", "effect", "standardError"] as const) {
      expect(outcome[key], key).toBeCloseTo(closed[key]!, 10);
    }
  });

  test("has p but no interval for arms without spread", () => {
    expect(permuteMeans([{ control: of(1, 1, 1), treatment: of(2, 2, 2) }], OPTIONS)).toMatchObject({
      pValue: 0.1,
      effect: 1,
      statistic: null,
      standardError: null,
      ciLow: null,
      ciHigh: null,
      criticalValue: null,
      relative: { effect: 1, ciLow: null },
    });
  });

  test("has no interval with too few permutations", () => {
    const strata = [{ control: values(50, 0), treatment: values(50, 0.1) }];
    expect(permuteMeans(strata, { permutations: 10, seed: 1 })).toMatchObject({ ciLow: null, ciHigh: null });
  });

  test("has no outcome when a sum is too large for a number", () => {
    const strata = [{ control: of(1.6e308, 1.7e308), treatment: of(1.5e308, 1.6e308) }];
    expect(permuteMeans(strata, OPTIONS)).toBeNull();
  });

  test("bounds the interval by exactly 0 when the critical draw ties with the data", () => {
    const outcome = permuteMeans([{ control: of(1, 2, 3), treatment: of(4, 5, 6) }], OPTIONS)!;
    expect(outcome.pValue).toBe(0.1);
    expect(outcome.ciLow).toBe(0);
  });
});

describe("permuteRatios", () => {
  test("gives the effect of the ratios and the delta method's lift interval to first order", () => {
    const strata = [{ control: users(400, 10), treatment: users(500, 11) }];
    const outcome = permuteRatios(strata, OPTIONS)!;
    const closed = ratioDelta(
      strata.map(({ control, treatment }) => ({
        control: ratioMomentsOf(control),
        treatment: ratioMomentsOf(treatment),
      })),
    )!;
    expect(outcome.controlValue).toBeCloseTo(closed.controlValue, 12);
    expect(outcome.treatmentValue).toBeCloseTo(closed.treatmentValue, 12);
    expect(outcome.effect).toBeCloseTo(closed.effect, 12);
    expect(outcome.standardError! / closed.standardError!).toBeCloseTo(1, 1);
    expect(outcome.relative.effect).toBeCloseTo(closed.relative.effect!, 12);
  });

  test("has an effect that is exactly the difference of mean scores in its own unit", () => {
    const { statistic, effect, standardError, ciLow, ciHigh, criticalValue } = permuteRatios(
      [calls],
      OPTIONS,
    )!;
    expect(effect / standardError!).toBeCloseTo(statistic!, 12);
    expect((ciHigh! - ciLow!) / 2).toBeCloseTo(criticalValue! * standardError!, 12);
  });

  test("combines strata as the delta method does", () => {
    const strata = [
      { control: users(40, 10), treatment: users(400, 11) },
      { control: users(300, 20), treatment: users(200, 22) },
    ];
    const outcome = permuteRatios(strata, OPTIONS)!;
    const closed = ratioDelta(
      strata.map(({ control, treatment }) => ({
        control: ratioMomentsOf(control),
        treatment: ratioMomentsOf(treatment),
      })),
    )!;
    expect(outcome.effect).toBeCloseTo(closed.effect, 10);
    expect(outcome.controlValue).toBeCloseTo(closed.controlValue, 10);
  });

  test.each([
    {
      name: "no denominator",
      strata: [{ control: ratio([0, 0], [0, 0]), treatment: ratio([1, 2], [2, 3]) }],
    },
    { name: "no strata", strata: [] },
    {
      name: "users all of one ratio, but for rounding",
      strata: [
        {
          control: ratio([0.2, 2], [0.4, 4], [0.1, 1], [0.3, 3]),
          treatment: ratio([0.3, 3], [0.7, 7], [0.1, 1]),
        },
      ],
    },
    { name: "a single user", strata: [{ control: ratio([1, 2]), treatment: ratio([1, 2], [2, 3]) }] },
    {
      name: "ratios too large for a number",
      strata: [
        { control: ratio([1e300, 1e-300], [2e300, 1e-300]), treatment: ratio([1e300, 1e-300], [3, 1e-300]) },
      ],
    },
  ])("has no outcome for $name", ({ strata }) => expect(permuteRatios(strata, OPTIONS)).toBeNull());
});

describe("permuteProportions", () => {
  test("gives proportions, their difference and its interval", () => {
    const outcome = permuteProportions([conversions], OPTIONS)!;
    expect(outcome).toMatchObject({ controlValue: 0.1, treatmentValue: 0.125 });
    expect(outcome.effect).toBeCloseTo(0.025, 14);
    expect(outcome.standardError).toBeCloseTo(Math.sqrt((0.1 * 0.9) / 999 + (0.125 * 0.875) / 1199), 14);
    expect(outcome.ciLow).toBeCloseTo(outcome.effect - outcome.criticalValue! * outcome.standardError!, 14);
  });

  test("keeps the interval within −1 and 1", () => {
    const apart = { control: { n: 4, successes: 1 }, treatment: { n: 4, successes: 4 } };
    const { ciLow, ciHigh } = permuteProportions([apart], OPTIONS)!;
    expect(ciHigh).toBe(1);
    expect(permuteProportions([swap(apart)], OPTIONS)!.ciLow).toBe(-1);
    expect(ciLow).toBeLessThanOrEqual(0);
  });

  test.each([
    { name: "more successes than users", control: { n: 5, successes: 6 }, treatment: { n: 5, successes: 1 } },
    { name: "no successes at all", control: { n: 50, successes: 0 }, treatment: { n: 40, successes: 0 } },
    { name: "one user", control: { n: 1, successes: 0 }, treatment: { n: 40, successes: 3 } },
  ])("has no outcome for $name", (stratum) => expect(permuteProportions([stratum], OPTIONS)).toBeNull());
});

describe("every permutation test", () => {
  test("swapping the arms flips effect and interval and keeps p", () => {
    const strata = [mouse, { control: values(40, 20), treatment: values(50, 30) }];
    expectMirrored(permuteMeans(strata, OPTIONS)!, permuteMeans(strata.map(swap), OPTIONS)!);
    const ratios = [calls, { control: users(40, 9), treatment: users(40, 10) }];
    expectMirrored(permuteRatios(ratios, OPTIONS)!, permuteRatios(ratios.map(swap), OPTIONS)!);
    expectMirrored(
      permuteProportions([conversions], OPTIONS)!,
      permuteProportions([swap(conversions)], OPTIONS)!,
    );
  });

  function expectDual({ pValue, ciLow, ciHigh }: TestOutcome): void {
    if (ciLow === null || ciHigh === null) return;
    expect(ciLow > 0 || ciHigh < 0).toBe(pValue <= 0.05);
  }

  test("the interval excludes 0 exactly when p is at most .05", () => {
    const value = fc.integer({ min: 0, max: 5 });
    const arm = fc.array(value, { minLength: 2, maxLength: 40 }).map((all) => of(...all));
    const strata = fc.array(fc.record({ control: arm, treatment: arm }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(strata, fc.integer({ min: 0, max: 3 }), fc.integer(), (plain, lift, seed) => {
        const lifted = plain.map(({ control, treatment }) => ({
          control,
          treatment: treatment.map((x) => x + lift),
        }));
        const outcome = permuteMeans(lifted, { ...OPTIONS, seed });
        if (outcome !== null) expectDual(outcome);
      }),
      { numRuns: 50 },
    );
    const user = fc.tuple(value, fc.integer({ min: 1, max: 4 }));
    const pairs = fc.array(user, { minLength: 2, maxLength: 40 }).map((all) => ratio(...all));
    const pairStrata = fc.array(fc.record({ control: pairs, treatment: pairs }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(pairStrata, fc.integer({ min: 0, max: 3 }), fc.integer(), (plain, lift, seed) => {
        const lifted = plain.map(({ control, treatment: { y, d } }) => ({
          control,
          treatment: { y: y.map((value, i) => value + lift * d[i]!), d },
        }));
        const outcome = permuteRatios(lifted, { ...OPTIONS, seed });
        // With several strata the mean scores may differ when the ratios do not.
        if (outcome !== null && outcome.effect !== 0) expectDual(outcome);
      }),
      { numRuns: 50 },
    );
    const counts = fc
      .integer({ min: 2, max: 300 })
      .chain((n) => fc.record({ n: fc.constant(n), successes: fc.integer({ min: 0, max: n }) }));
    fc.assert(
      fc.property(counts, counts, fc.integer(), (control, treatment, seed) => {
        const outcome = permuteProportions([{ control, treatment }], { ...OPTIONS, seed });
        if (outcome !== null) expectDual(outcome);
      }),
      { numRuns: 50 },
    );
  });

  test("no number of an outcome is NaN or infinite, whatever the values", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const wild = fc.array(value, { minLength: 2, maxLength: 6 }).map((all) => of(...all));
    fc.assert(
      fc.property(wild, wild, (control, treatment) => {
        const { relative, ...outcome } = permuteMeans([{ control, treatment }], OPTIONS) ?? { relative: {} };
        for (const number of [...Object.values(outcome), ...Object.values(relative)]) {
          if (typeof number === "number") expect(Number.isFinite(number)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
