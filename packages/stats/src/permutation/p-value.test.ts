import fc from "fast-check";
import { expect, test } from "vitest";
import { judge } from "./p-value.ts";

const draws = (count: number, value: (i: number) => number) =>
  Float64Array.from({ length: count }, (_, i) => value(i));

test.each([
  { name: "random draws: the 50th largest of 999", sizes: draws(999, (i) => i), hasObserved: false, q: 949 },
  { name: "all draws: the 51st largest of 1,000", sizes: draws(1000, (i) => i), hasObserved: true, q: 949 },
  { name: "19 draws: the largest", sizes: draws(19, (i) => i), hasObserved: false, q: 18 },
])("finds the critical value of $name", ({ sizes, hasObserved, q }) => {
  expect(judge(0.5, { sizes, hasObserved }).criticalValue).toBe(q);
});

test.each([
  { name: "18 random draws", size: 5, sizes: draws(18, () => 1) },
  { name: "an infinite statistic", size: Infinity, sizes: draws(99, () => 1) },
  {
    name: "more infinite draws than p ≤ .05 allows",
    size: 5,
    sizes: draws(99, (i) => (i < 5 ? Infinity : 1)),
  },
])("has no critical value for $name", ({ size, sizes }) => {
  expect(judge(size, { sizes, hasObserved: false }).criticalValue).toBeNull();
});

test("counts a draw that is equal up to rounding as equally extreme, and keeps the critical value at or above the data", () => {
  const almost = 2 * (1 - 1e-14);
  const sizes = draws(99, (i) => (i < 5 ? almost : 1));
  expect(judge(-2, { sizes, hasObserved: false })).toEqual({
    pValue: 0.06,
    criticalValue: 2,
    exceedances: 5,
  });
});

test("the critical value is below the statistic exactly when p is at most .05", () => {
  // Few different sizes, so that ties are common. A factor below the tolerance imitates rounding.
  const size = fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.constantFrom(1, 1 - 1e-15, 1 + 1e-15))
    .map(([a, b]) => a * b);
  const sizes = fc.array(size, { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(size, sizes, fc.boolean(), (statistic, others, hasObserved) => {
      const all = Float64Array.from(hasObserved ? [...others, statistic] : others);
      const { pValue, criticalValue } = judge(statistic, { sizes: all, hasObserved });
      fc.pre(criticalValue !== null);
      expect(criticalValue! < statistic).toBe(pValue <= 0.05);
    }),
    { numRuns: 2000 },
  );
});
