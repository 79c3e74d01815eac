import { expect, test } from "vitest";
import { PLAN_LIMITS, publicAllowance } from "./plan.ts";

const NO_BOUND = null;

test.each([
  ["free", 7, 2_000, 10_000, 50_000, 0, 5],
  ["pro", 30, 10_000, 100_000, 1_000_000, 50_000, 100],
  ["business", 90, 20_000, 250_000, 10_000_000, 500_000, NO_BOUND],
  ["enterprise", 365, 100_000, 1_000_000, NO_BOUND, NO_BOUND, NO_BOUND],
] as const)(
  "%s has the limits of the price list",
  (plan, days, permutations, sample, events, judged, seats) => {
    expect(PLAN_LIMITS[plan]).toEqual({
      retentionDays: days,
      maxPermutations: permutations,
      maxSamplePerArm: sample,
      monthlyEventAllowance: events,
      monthlyJudgeEvaluations: judged,
      seats,
      isOverageBilled: plan === "pro" || plan === "business",
    });
  },
);

test.each([
  ["free", 0.8, 40_000],
  ["free", 0, 0],
  ["free", 1, NO_BOUND],
  ["pro", 0.8, NO_BOUND],
  ["business", 0, NO_BOUND],
  ["enterprise", 0.8, NO_BOUND],
] as const)("publishable keys of %s may send %d of the allowance: %j events", (plan, share, events) => {
  expect(publicAllowance(PLAN_LIMITS[plan], share)).toBe(events);
});
