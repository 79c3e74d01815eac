import { type Member, type PlanState, planInForce } from "@assay/domain";

/** Builds the response for a member. A member without a known name is shown by email address. */
export function memberAnswer(member: Member) {
  return { ...member, name: member.name || member.email };
}

/** Builds the response for an org's plan: the stored plan state, and the plan in force at `now` (epoch milliseconds). */
export function planAnswer(state: PlanState, now: number) {
  const { plan, next } = state.subscription;
  return {
    plan: planInForce(state, now),
    planOverride: state.override,
    subscriptionPlan: plan,
    nextPlan: next?.plan ?? null,
    nextPlanAt: next?.at ?? null,
  };
}
