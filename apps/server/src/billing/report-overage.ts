import {
  dueReport,
  endOfMonth,
  largestPlanWithin,
  openMonths,
  PLAN_LIMITS,
  type Plan,
  startOfMonth,
  subscriptionOf,
  type UsageMonth,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import type { Billing } from "./billing.ts";

type ReportDeps = Pick<Deps, "control" | "plans" | "clock" | "log" | "billing">;
type Meter = NonNullable<Billing["meterOverage"]>;

/**
 * Reports each org's usage beyond its allowance since the last report to the billing provider. Reports this month, and
 * in its first week also the previous month, because some events arrive late. If an org's report fails, the other orgs
 * are still reported, and the next run tries again.
 */
export async function reportOverage(deps: ReportDeps): Promise<void> {
  const { control, plans, clock, log, billing } = deps;
  if (!billing?.meterOverage || !plans.isEnforced) return;
  const meter = billing.meterOverage;
  const months = openMonths(clock.now());
  for (const { orgId } of await control.plans.list()) {
    for (const month of months)
      await reportMonth({ orgId, month }, meter, deps).catch((error: unknown) =>
        log.warn({ err: error, org: orgId, month }, "could not report overage; it is retried"),
      );
  }
}

/**
 * Counts an org's events of a month beyond the largest allowance that it had in that month. A later, smaller plan does
 * not make events chargeable that a larger plan allowed.
 */
export async function countOverage(
  { orgId, month, events }: OrgMonth & { readonly events: number },
  { control, plans, billing }: Pick<Deps, "control" | "plans" | "billing">,
): Promise<number> {
  const now = allowanceOf(await plans.inForce(orgId));
  // Most orgs are within it: nothing more is read for them.
  if (events <= now) return 0;
  const { override } = await control.plans.get(orgId);
  const largest =
    override ??
    largestPlanWithin(await control.billing.listEvents(orgId), billing?.planOfPrice ?? (() => null), {
      from: startOfMonth(month),
      to: endOfMonth(month),
    });
  return Math.max(0, events - Math.max(now, allowanceOf(largest)));
}

const allowanceOf = (plan: Plan) => PLAN_LIMITS[plan].monthlyEventAllowance ?? Number.POSITIVE_INFINITY;

interface OrgMonth {
  readonly orgId: string;
  readonly month: UsageMonth;
}

async function reportMonth(
  { orgId, month }: OrgMonth,
  meter: Meter,
  { control, plans, clock, billing }: ReportDeps,
): Promise<void> {
  if (!PLAN_LIMITS[await plans.inForce(orgId)].isOverageBilled) return;
  const { events } = await control.usage.get(orgId, month);
  const overage = await countOverage({ orgId, month, events }, { control, plans, billing });
  const due = dueReport(await control.billing.getMetered(orgId, month), overage);
  if (due === null) return;
  const { customerId, liveCount } = subscriptionOf(
    await control.billing.listEvents(orgId),
    billing?.planOfPrice ?? (() => null),
  );
  // A plan that the platform owner set is not sold by the provider.
  if (customerId === null || liveCount === 0) return;
  const { from, to } = due;
  // Stored first, so that after a crash the same report is repeated and counts once.
  await control.billing.putMetered(orgId, month, { reported: from, pending: to });
  const at = Math.min(clock.now(), endOfMonth(month) - 1);
  await meter({ customerId, events: to - from, at, id: `${orgId}.${month}.${from}-${to}` });
  await control.billing.putMetered(orgId, month, { reported: to, pending: to });
}
