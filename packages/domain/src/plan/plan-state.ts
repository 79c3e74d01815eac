import { PLANS, type Plan } from "./plan.ts";

/** The plan that an org pays for, and the lower one it goes to when the billing cycle ends. */
export interface SubscriptionPlan {
  readonly plan: Plan;
  /** `at`: epoch milliseconds. */
  readonly next: { readonly plan: Plan; readonly at: number } | null;
}

/** All that decides an org's plan. */
export interface PlanState {
  /** Set by the platform owner; wins over everything (spec §3). */
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
 * Applies what the billing provider says: an upgrade is in force at once, a downgrade from the end of the billing cycle on
 * (spec §3). What was to come before is dropped: the newest word counts.
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
