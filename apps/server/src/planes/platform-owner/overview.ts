import { admin as operations } from "@assay/contract";
import { addDays, dayOf, endOfDay, monthOf, PLANS, type Plan, planInForce, startOfDay } from "@assay/domain";
import type { Deps } from "../../deps.ts";
import { definePlatformRoute } from "../../http/define-route.ts";

const TRAFFIC_DAYS = 30;

export const getOverview = definePlatformRoute(operations.getOverview, async (_call, deps) => {
  const now = deps.clock.now();
  const [totals, plans, traffic] = await Promise.all([
    deps.control.admin.getTotals(monthOf(now)),
    countPlans(now, deps),
    loadTraffic(now, deps),
  ]);
  return {
    ...totals,
    plans,
    eventsThisMonth: totals.usage.events,
    judgeEvaluationsThisMonth: totals.usage.judgeEvaluations,
    traffic,
  };
});

/** Counts orgs by their current plan. The list of plans also includes those of deleted orgs. */
async function countPlans(now: number, { control }: Pick<Deps, "control">) {
  const [orgs, plans] = await Promise.all([control.orgs.list(), control.plans.list()]);
  const existing = new Set(orgs.map(({ id }) => id));
  const inForce = plans
    .filter(({ orgId }) => existing.has(orgId))
    .map(({ state }) => planInForce(state, now));
  const count = (plan: Plan) => inForce.filter((one) => one === plan).length;
  return Object.fromEntries(PLANS.map((plan) => [plan, count(plan)])) as Record<Plan, number>;
}

/** Counts events of today so far and of the previous days, oldest first. */
async function loadTraffic(now: number, { events }: Pick<Deps, "events">) {
  const today = dayOf(now);
  const days = Array.from({ length: TRAFFIC_DAYS }, (_, i) => addDays(today, i + 1 - TRAFFIC_DAYS));
  const range = { from: startOfDay(days[0] ?? today), until: endOfDay(today) };
  const counts = await events.countByDay(range);
  return days.map((day) => ({ day, events: counts.get(day) ?? 0 }));
}
