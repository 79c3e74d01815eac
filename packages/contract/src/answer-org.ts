import { type Member, type PlanState, planInForce } from "@assay/domain";

/** Makes the answer of a member; without a known name they go by their email address. */
export function memberAnswer(member: Member) {
  return { ...member, name: member.name || member.email };
}

/** Makes the answer of all that decides an org's plan, with the plan in force at `now` (epoch milliseconds). */
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
