import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hodgesLehmannShift } from "./hodges-lehmann-shift.ts";

const arms = (control: readonly number[], treatment: readonly number[]) => ({
  control: Float64Array.from(control),
  treatment: Float64Array.from(treatment),
});

function medianOfDifferences(control: readonly number[], treatment: readonly number[]): number {
  const all = treatment.flatMap((t) => control.map((c) => t - c)).sort((a, b) => a - b);
  const [lower, upper] = [all[Math.ceil(all.length / 2) - 1]!, all[Math.floor(all.length / 2)]!];
  return lower + (upper - lower) / 2;
}

describe("hodgesLehmannShift", () => {
  test("is the median of all differences, ties and gaps included", () => {
    const value = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
    const values = fc.array(value, { minLength: 1, maxLength: 15 });
    fc.assert(
      fc.property(values, values, (control, treatment) => {
        // 0 and −0 are the same shift.
        const shift = hodgesLehmannShift([arms(control, treatment)])! + 0;
        expect(shift).toBe(medianOfDifferences(control, treatment) + 0);
      }),
      { numRuns: 500 },
    );
  });

  test("is found between neighbouring numbers", () => {
    const above = 1 + Number.EPSILON;
    expect(hodgesLehmannShift([arms([0], [1, above, above])])).toBe(above);
    expect(hodgesLehmannShift([arms([0], [1, 1, above])])).toBe(1);
    // Here the middle rounds up.
    const next = above + Number.EPSILON;
    expect(hodgesLehmannShift([arms([0], [above, above, next])])).toBe(above);
  });

  test("moves with the treatment", () => {
    const [control, treatment] = [
      [3, 8, 1, 9, 4],
      [5, 7, 2, 2],
    ];
    const shift = hodgesLehmannShift([arms(control, treatment)])!;
    const moved = treatment.map((x) => x + 16);
    expect(hodgesLehmannShift([arms(control, moved)])).toBe(shift + 16);
  });

  test("weighs the differences of strata by users", () => {
    const small = arms([0], [1]);
    const large = arms([0, 0], [5, 5, 5]);
    expect(hodgesLehmannShift([small, large])).toBe(5);
    expect(hodgesLehmannShift([small, arms([0], [5])])).toBe(3);
  });

  test.each([
    { name: "no strata", strata: [] },
    { name: "an empty control", strata: [arms([], [1])] },
    { name: "an empty treatment", strata: [arms([1], [])] },
    { name: "no number", strata: [arms([1, Number.NaN], [1])] },
    { name: "differences that overflow", strata: [arms([-1.7e308], [1.7e308])] },
  ])("$name give none", ({ strata }) => expect(hodgesLehmannShift(strata)).toBeNull());
});
