import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alwaysValid } from "./sequential.ts";
import { alwaysValidProportions } from "./sequential-proportions.ts";
import type { Stratum } from "./strata.ts";

const arm = (successes: number, n: number) => ({ successes, n });
const table = (control: readonly [number, number], treatment: readonly [number, number]) => ({
  control: arm(...control),
  treatment: arm(...treatment),
});

describe("always-valid evidence of proportions", () => {
  test.each([
    { name: "0 of 200 against 19 of 3,800: Fisher's p is .62", strata: [table([19, 3_800], [0, 200])] },
    {
      name: "a stratum with too few cases",
      strata: [table([50, 100], [50, 100]), table([1, 100], [1, 100])],
    },
    { name: "all users agree", strata: [table([0, 500], [0, 500])] },
    { name: "no strata", strata: [] },
    { name: "an arm without users", strata: [table([0, 0], [5, 500])] },
    {
      name: "an arm without users in one stratum of two",
      strata: [table([50, 100], [50, 100]), table([0, 0], [250, 500])],
    },
  ])("is withheld: $name", ({ strata }) => {
    expect(alwaysValidProportions(strata)).toBeNull();
  });

  test("starts at an expected cell of 10", () => {
    expect(alwaysValidProportions([table([199, 3_800], [1, 200])])).not.toBeNull();
    expect(alwaysValidProportions([table([198, 3_800], [1, 200])])).toBeNull();
  });

  test("uses the pooled variance at no difference, and is tuned to the planned users", () => {
    const strata = [table([120, 1_000], [150, 1_000])];
    const pooled = 270 / 2_000;
    const standardError = Math.sqrt(pooled * (1 - pooled) * (2 / 1_000));
    for (const expectedUsers of [undefined, 40_000]) {
      const expected = alwaysValid({ effect: 0.03, standardError, n: 2_000, expectedUsers });
      const { pValue, logEvidence } = alwaysValidProportions(strata, expectedUsers)!;
      expect(pValue).toBeCloseTo(expected.pValue, 12);
      expect(logEvidence).toBeCloseTo(expected.logEvidence, 12);
    }
  });

  /** At equal observed shares the constrained shares of Miettinen & Nurminen have a closed form: p ∓ δ / 2 for p = ½. */
  test("inverts the score statistic: half of each arm, differences δ have shares ½ ∓ δ / 2", () => {
    const { ciLow, ciHigh } = alwaysValidProportions([table([500, 1_000], [500, 1_000])])!;
    expect(ciHigh).toBeCloseTo(-ciLow, 10);
    const k = alwaysValid({ effect: 0, standardError: 1, n: 2_000 }).ciHigh;
    const error = Math.sqrt((2 * (0.5 + ciHigh / 2) * (0.5 - ciHigh / 2)) / 1_000);
    expect(ciHigh).toBeCloseTo(k * error, 9);
  });

  const share = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);
  const counts = fc.record({ n: fc.integer({ min: 50, max: 20_000 }), share });
  const strata = fc.array(fc.record({ control: counts, treatment: counts }), { minLength: 1, maxLength: 3 });
  const toCounts = ({ n, share }: { n: number; share: number }) => arm(Math.round(n * share), n);

  test("excludes 0 exactly when p is below .05, holds the effect, and mirrors when the arms are swapped", () => {
    fc.assert(
      fc.property(strata, (drawn) => {
        const list = drawn.map(({ control, treatment }) => ({
          control: toCounts(control),
          treatment: toCounts(treatment),
        }));
        const valid = alwaysValidProportions(list);
        fc.pre(valid !== null && Math.abs(valid.pValue - 0.05) > 1e-9);
        const { ciLow, ciHigh, pValue } = valid!;
        expect(ciLow > 0 || ciHigh < 0).toBe(pValue < 0.05);
        expect(ciLow).toBeGreaterThanOrEqual(-1);
        expect(ciHigh).toBeLessThanOrEqual(1);
        const swap = (s: Stratum<ReturnType<typeof arm>>) => ({ control: s.treatment, treatment: s.control });
        const mirrored = alwaysValidProportions(list.map(swap))!;
        expect(mirrored.ciLow).toBeCloseTo(-ciHigh, 12);
        expect(mirrored.ciHigh).toBeCloseTo(-ciLow, 12);
      }),
    );
  });
});

test("a bound is computed to 54 binary digits", () => {
  // From an effect of 0 a bound is a whole number of 54th halvings of the interval from −1 to 0.
  const bounds = [100, 130, 170, 210, 333, 400, 512, 700].map((n) => {
    const arm = { n, successes: Math.round(0.3 * n) };
    return alwaysValidProportions([{ control: arm, treatment: arm }])!.ciLow;
  });
  const areWhole = (digits: number) => bounds.every((bound) => Number.isInteger(bound * 2 ** digits));
  expect(areWhole(54)).toBe(true);
  expect(areWhole(53)).toBe(false);
});
