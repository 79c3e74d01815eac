import { usage as operations } from "@assay/contract";
import { endOfMonth, monthOf, PLAN_LIMITS, type Plan, toInstant } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { settleQueue } from "../../worker/settle-queue.ts";

/** What was acknowledged a moment ago should be in the number. */
const SETTLE_MS = 1_000;

export const getUsage = defineRoute(operations.getUsage, async ({ caller }, deps) => {
  const month = monthOf(deps.clock.now());
  await settleQueue(SETTLE_MS, deps);
  const plan = await deps.plans.inForce(caller.orgId);
  const limits = PLAN_LIMITS[plan];
  const events = await deps.meter.count(caller.orgId, month);
  const { judgeEvaluations } = await deps.control.usage.get(caller.orgId, month);
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
    limits: toWireLimits(plan),
  };
});

function toWireLimits(plan: Plan) {
  const { retentionDays, maxPermutations, maxSamplePerArm, monthlyEventAllowance } = PLAN_LIMITS[plan];
  return {
    plan,
    retention_days: retentionDays,
    max_permutations: maxPermutations,
    max_sample_per_arm: maxSamplePerArm,
    monthly_event_allowance: monthlyEventAllowance,
  };
}
