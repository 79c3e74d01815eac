import { usage as operations } from "@assay/contract";
import { endOfMonth, monthOf, PLAN_LIMITS, type Plan, type PlanLimits, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { countAccepted } from "../../ingest/count-accepted.ts";

/** What was acknowledged a moment ago should be in the number. */
const SETTLE_MS = 1_000;

export const getUsage = defineRoute(operations.getUsage, async ({ caller }, deps) => {
  const month = monthOf(deps.clock.now());
  const { orgId } = caller;
  const { events } = await countAccepted({ orgId, month, timeoutMs: SETTLE_MS }, deps);
  const plan = await deps.plans.inForce(orgId);
  const limits = PLAN_LIMITS[plan];
  const { judgeEvaluations } = await deps.control.usage.get(orgId, month);
  const { monthlyEventAllowance: allowance, isOverageBilled } = limits;
  return {
    month,
    events: {
      used: events,
      allowance,
      overage: isOverageBilled && allowance !== null ? Math.max(0, events - allowance) : 0,
    },
    judge_evaluations: { used: judgeEvaluations, allowance: limits.monthlyJudgeEvaluations },
    overage_billed: isOverageBilled,
    resets_at: toInstant(endOfMonth(month)),
    enforced: deps.plans.isEnforced,
    limits: toWireLimits(plan, limits),
  };
});

function toWireLimits(plan: Plan, limits: PlanLimits) {
  return {
    plan,
    retention_days: limits.retentionDays,
    max_permutations: limits.maxPermutations,
    max_sample_per_arm: limits.maxSamplePerArm,
    monthly_event_allowance: limits.monthlyEventAllowance,
  };
}
