import { PLANS, type Plan } from "./plan.ts";

/** The plan that an org pays for, and the lower one that follows when the billing cycle ends. */
export interface SubscriptionPlan {
  readonly plan: Plan;
  /** `at`: epoch milliseconds. */
  readonly next: { readonly plan: Plan; readonly at: number } | null;
}

/** Everything that determines an org's plan. */
export interface PlanState {
  /** Set by the platform owner; takes precedence over everything (spec §3). */
  readonly override: Plan | null;
  readonly subscription: SubscriptionPlan;
}

/** The state of an org that never checked out. */
export const FREE_PLAN: PlanState = { override: null, subscription: { plan: "free", next: null } };

/** Returns the plan in force at an instant (epoch milliseconds). */
export function planInForce({ override, subscription: { plan, next } }: PlanState, now: number): Plan {
  if (override !== null) return override;
  return next !== null && next.at <= now ? next.plan : plan;
}

/**
 * Applies the billing provider's plan: an upgrade is in force at once, a downgrade from the end of the billing cycle on (spec
 * §3). An earlier pending change is dropped.
 */
export function changeSubscription(
  current: SubscriptionPlan,
  change: { readonly plan: Plan; readonly now: number; readonly cycleEndsAt: number },
): SubscriptionPlan {
  const plan = planInForce({ override: null, subscription: current }, change.now);
  const isDowngrade = PLANS.indexOf(change.plan) < PLANS.indexOf(plan);
  if (!isDowngrade || change.cycleEndsAt <= change.now) return { plan: change.plan, next: null };
  return { plan, next: { plan: change.plan, at: change.cycleEndsAt } };
}
