import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analysisLimits, PLAN_LIMITS, PLANS, type Plan } from "./plan.ts";
import { changeSubscription, FREE_PLAN, planInForce, type SubscriptionPlan } from "./plan-state.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const CYCLE_END = Date.parse("2026-12-03T08:00:00Z");
const plain = (plan: Plan): SubscriptionPlan => ({ plan, next: null });
const inForce = (subscription: SubscriptionPlan, now = NOW) =>
  planInForce({ override: null, subscription }, now);

test("a larger plan never allows less", () => {
  for (const [index, plan] of PLANS.entries()) {
    const before = PLANS[index - 1];
    if (before === undefined) continue;
    const [less, more] = [PLAN_LIMITS[before], PLAN_LIMITS[plan]];
    expect(more.retentionDays).toBeGreaterThan(less.retentionDays);
    expect(more.maxPermutations).toBeGreaterThan(less.maxPermutations);
    expect(more.maxSamplePerArm).toBeGreaterThan(less.maxSamplePerArm);
    expect(more.monthlyEventAllowance ?? Infinity).toBeGreaterThan(less.monthlyEventAllowance ?? Infinity);
    expect(more.seats ?? Infinity).toBeGreaterThanOrEqual(less.seats ?? Infinity);
  }
});

test("an installation that enforces no plan uses the analysis limits of pro, whatever the plan", () => {
  for (const plan of PLANS) {
    expect(analysisLimits(plan, true)).toBe(PLAN_LIMITS[plan]);
    expect(analysisLimits(plan, false)).toBe(PLAN_LIMITS.pro);
  }
});

describe("the plan in force", () => {
  test("is free for an org that never checked out", () => {
    expect(planInForce(FREE_PLAN, NOW)).toBe("free");
  });

  test("is the override, whatever the subscription says", () => {
    const subscription = { plan: "pro", next: { plan: "free", at: NOW - 1 } } as const;
    for (const override of PLANS) expect(planInForce({ override, subscription }, NOW)).toBe(override);
  });

  test("goes down at the exact instant at which the billing cycle ends", () => {
    const leaving = changeSubscription(plain("business"), { plan: "free", now: NOW, cycleEndsAt: CYCLE_END });
    expect(inForce(leaving)).toBe("business");
    expect(inForce(leaving, CYCLE_END - 1)).toBe("business");
    expect(inForce(leaving, CYCLE_END)).toBe("free");
  });
});

describe("a change of the subscription", () => {
  const change = (current: SubscriptionPlan, plan: Plan, cycleEndsAt = CYCLE_END) =>
    changeSubscription(current, { plan, now: NOW, cycleEndsAt });

  test.each([
    { name: "an upgrade is in force at once", from: plain("free"), to: "pro", expected: plain("pro") },
    { name: "the same plan changes nothing", from: plain("pro"), to: "pro", expected: plain("pro") },
    {
      name: "a downgrade waits for the end of the cycle",
      from: plain("business"),
      to: "pro",
      expected: { plan: "business", next: { plan: "pro", at: CYCLE_END } },
    },
    {
      name: "an upgrade drops a pending downgrade",
      from: { plan: "pro", next: { plan: "free", at: CYCLE_END } },
      to: "business",
      expected: plain("business"),
    },
    {
      name: "staying drops a pending downgrade",
      from: { plan: "pro", next: { plan: "free", at: CYCLE_END } },
      to: "pro",
      expected: plain("pro"),
    },
    {
      name: "the next change starts from a downgrade that is in force",
      from: { plan: "business", next: { plan: "free", at: NOW } },
      to: "pro",
      expected: plain("pro"),
    },
  ] as const)("$name", ({ from, to, expected }) => expect(change(from, to)).toEqual(expected));

  test("a downgrade whose cycle is over is in force at once", () => {
    expect(change(plain("pro"), "free", NOW)).toEqual(plain("free"));
  });

  test("never takes anything away before the cycle ends, and ends at the requested plan", () => {
    const plan = fc.constantFrom(...PLANS);
    fc.assert(
      fc.property(plan, fc.array(plan, { minLength: 1 }), (start, asked) => {
        let subscription = plain(start);
        for (const to of asked) {
          const before = inForce(subscription);
          subscription = change(subscription, to);
          expect(PLANS.indexOf(inForce(subscription))).toBeGreaterThanOrEqual(PLANS.indexOf(before));
        }
        expect(inForce(subscription, CYCLE_END)).toBe(asked.at(-1));
      }),
    );
  });
});
