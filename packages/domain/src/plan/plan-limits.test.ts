import { expect, test } from "vitest";
import { PLAN_LIMITS } from "./plan.ts";

const NO_BOUND = null;

test.each([
  ["free", 7, 2_000, 10_000, 50_000, 0, 5],
  ["pro", 30, 10_000, 100_000, 1_000_000, 50_000, 100],
  ["business", 90, 20_000, 250_000, 10_000_000, 500_000, NO_BOUND],
  ["enterprise", 365, 100_000, 1_000_000, NO_BOUND, NO_BOUND, NO_BOUND],
] as const)(
  "%s allows what the price list says",
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
