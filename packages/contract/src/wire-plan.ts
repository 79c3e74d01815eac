import { type PlanState, planInForce, type SubscriptionPlan, toInstant } from "@assay/domain";

/** Writes what an org pays for, and what follows. */
export function toWireSubscription({ plan, next }: SubscriptionPlan) {
  return {
    subscription_plan: plan,
    next_plan: next?.plan ?? null,
    next_plan_at: next === null ? null : toInstant(next.at),
  };
}

/** Writes all that decides an org's plan, and the plan in force at `now` (epoch milliseconds). */
export function toWirePlan(state: PlanState, now: number) {
  return {
    plan: planInForce(state, now),
    plan_override: state.override,
    ...toWireSubscription(state.subscription),
  };
}
