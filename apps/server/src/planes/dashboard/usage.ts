import { usage as operations } from "@assay/contract";
import { endOfMonth, monthOf, PLAN_LIMITS, publicAllowance } from "@assay/domain";
import { countOverage } from "../../billing/report-overage.ts";
import { defineRoute } from "../../http/define-route.ts";
import { countAccepted, countPublic } from "../../ingest/count-accepted.ts";

/** Waits this long for events that were just acknowledged to be counted. */
const SETTLE_MS = 1_000;

export const getUsage = defineRoute(operations.getUsage, async ({ caller }, deps) => {
  const month = monthOf(deps.clock.now());
  const { orgId } = caller;
  const spender = { orgId, isPublic: false };
  const { events } = await countAccepted({ spender, month, timeoutMs: SETTLE_MS }, deps);
  const plan = await deps.plans.inForce(orgId);
  const limits = PLAN_LIMITS[plan];
  const { judgeEvaluations } = await deps.control.usage.get(orgId, month);
  const { monthlyEventAllowance: allowance, isOverageBilled } = limits;
  return {
    month,
    events: {
      used: events,
      allowance,
      overage: isOverageBilled ? await countOverage({ orgId, month, events }, deps) : 0,
      publishable: {
        used: await countPublic(orgId, month, deps),
        allowance: publicAllowance(limits, deps.publicAllowanceShare),
      },
    },
    judgeEvaluations: { used: judgeEvaluations, allowance: limits.monthlyJudgeEvaluations },
    overageBilled: isOverageBilled,
    overageMetered: isOverageBilled && deps.plans.isEnforced && deps.billing?.meterOverage != null,
    resetsAt: endOfMonth(month),
    enforced: deps.plans.isEnforced,
    limits: { plan, ...limits },
  };
});
