import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalQuantile } from "./distributions/normal.ts";
import { studentTQuantile } from "./distributions/student-t.ts";
import { type IntervalOutcome, selectionAdjusted, selectionLevel } from "./fcr.ts";

const Z = normalQuantile(0.975);
const symmetric = (effect: number, criticalValue: number): IntervalOutcome => ({
  test: "welch_t",
  effect,
  ciLow: effect - criticalValue,
  ciHigh: effect + criticalValue,
  criticalValue,
});

describe("selectionLevel", () => {
  test.each([
    { selected: 10, total: 10, level: 0.95 },
    { selected: 1, total: 10, level: 0.995 },
    { selected: 3, total: 4, level: 0.9625 },
  ])("of $selected of $total rows is $level", ({ selected, total, level }) => {
    expect(selectionLevel(selected, total)).toBeCloseTo(level, 15);
  });

  test.each([
    [0, 10],
    [11, 10],
    [Number.NaN, 10],
  ])("does not exist for %d of %d rows", (selected, total) => {
    expect(() => selectionLevel(selected, total)).toThrow(RangeError);
  });
});

describe("selectionAdjusted", () => {
  test("leaves the interval as it is when every row is selected", () => {
    const interval = selectionAdjusted(symmetric(3, 2.1), 0.95)!;
    expect(interval.ciLow).toBeCloseTo(0.9, 12);
    expect(interval.ciHigh).toBeCloseTo(5.1, 12);
  });

  test.each([0.96, 0.99, 0.995, 0.999])(
    "takes a normal interval to the normal quantile of level %d",
    (level) => {
      const { ciLow, ciHigh } = selectionAdjusted(symmetric(0, Z), level)!;
      expect(ciHigh).toBeCloseTo(normalQuantile((1 + level) / 2), 9);
      expect(ciLow).toBeCloseTo(-ciHigh, 12);
    },
  );

  test.each([
    { df: 18, level: 0.995 },
    { df: 18, level: 0.96 },
    { df: 40, level: 0.999 },
    { df: 400, level: 0.9995 },
  ])("comes within 1 % of Student's quantile at $df degrees of freedom and level $level", ({ df, level }) => {
    const { ciHigh } = selectionAdjusted(symmetric(0, studentTQuantile(0.975, df)), level)!;
    expect(Math.abs(ciHigh / studentTQuantile((1 + level) / 2, df) - 1)).toBeLessThan(0.01);
  });

  test.each([
    { name: "a share's interval", test: "two_proportion_z" as const, ciLow: 0.2, ciHigh: 0.99, to: [0.5, 1] },
    { name: "Fisher's", test: "fisher_exact" as const, ciLow: -0.99, ciHigh: 0.2, to: [-1, -0.5] },
    { name: "Mann-Whitney's", test: "mann_whitney_u" as const, ciLow: 0.1, ciHigh: 0.49, to: [0.3, 0.5] },
  ])("keeps $name within the possible effects", ({ test: name, ciLow, ciHigh, to: [least, most] }) => {
    const effect = (least! + most!) / 2;
    const wide = selectionAdjusted({ test: name, effect, ciLow, ciHigh, criticalValue: Z }, 0.9999)!;
    expect([wide.ciLow, wide.ciHigh]).toContain(Math.abs(most!) > Math.abs(least!) ? most : least);
  });

  test("widens by the normal quantile when no critical value is known", () => {
    const { ciLow, ciHigh } = selectionAdjusted({ ...symmetric(0, Z), criticalValue: null }, 0.995)!;
    expect([ciLow, ciHigh]).toEqual([-1, 1].map((side) => expect.closeTo(side * normalQuantile(0.9975), 9)));
  });

  test("has no interval if the test has none", () => {
    expect(selectionAdjusted({ ...symmetric(0, Z), ciLow: null }, 0.99)).toBeNull();
    expect(selectionAdjusted({ ...symmetric(0, Z), ciHigh: null }, 0.99)).toBeNull();
  });

  test("is never narrower, keeps its sides' proportion, and grows with the level", () => {
    const side = fc.double({ min: 0.01, max: 10, noNaN: true });
    const level = fc.double({ min: 0.95, max: 0.9999, noNaN: true });
    fc.assert(
      fc.property(side, side, side, level, level, (low, high, criticalValue, a, b) => {
        const at = (l: number) => {
          const outcome = {
            test: "permutation" as const,
            effect: 1,
            ciLow: 1 - low,
            ciHigh: 1 + high,
            criticalValue,
          };
          const interval = selectionAdjusted(outcome, l)!;
          return { low: 1 - interval.ciLow, high: interval.ciHigh - 1 };
        };
        const [narrow, wide] = [at(Math.min(a, b)), at(Math.max(a, b))];
        expect(narrow.high).toBeGreaterThanOrEqual(high * (1 - 1e-9));
        expect(wide.high).toBeGreaterThanOrEqual(narrow.high * (1 - 1e-12));
        expect(wide.low / wide.high / (low / high)).toBeCloseTo(1, 9);
      }),
    );
  });
});
