import fc from "fast-check";
import { expect, test } from "vitest";
import { dailyBudget } from "./daily-budget.ts";

const allowance = {
  allowance: 50_000,
  used: 0,
  pending: 0,
  judgedMetrics: 1,
  now: Date.UTC(2026, 3, 1, 12),
};

test.each([
  { name: "a month's first day has a thirtieth, minus the second judgements", with: {}, budget: 1_617 },
  {
    name: "the last day has everything that is left",
    with: { used: 48_970, now: Date.UTC(2026, 3, 30, 23, 59) },
    budget: 1_000,
  },
  {
    name: "used and drawn evaluations are both deducted",
    with: { used: 20_000, pending: 10_000 },
    budget: 646,
  },
  { name: "metrics share alike", with: { judgedMetrics: 4 }, budget: 403 },
  { name: "zero metrics count as one", with: { judgedMetrics: 0 }, budget: 1_617 },
  { name: "less than nothing is nothing", with: { used: 60_000 }, budget: 0 },
  { name: "the free plan has none", with: { allowance: 0 }, budget: 0 },
  { name: "no allowance means no limit", with: { allowance: null }, budget: null },
])("$name", ({ with: changed, budget }) => {
  expect(dailyBudget({ ...allowance, ...changed })).toBe(budget);
});

test("a month of days that all use their budget, second judgements included, stays within the allowance", () => {
  fc.assert(
    fc.property(fc.nat(20_000), fc.integer({ min: 1, max: 5 }), (monthly, judgedMetrics) => {
      let used = 0;
      for (let day = 1; day <= 30; day++) {
        const now = Date.UTC(2026, 3, day, 1);
        const drawn = dailyBudget({ allowance: monthly, used, pending: 0, judgedMetrics, now }) ?? 0;
        used += judgedMetrics * (drawn + Math.ceil(0.03 * drawn));
      }
      expect(used).toBeLessThanOrEqual(monthly);
    }),
    { numRuns: 50 },
  );
});
