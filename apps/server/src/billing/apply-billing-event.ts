import {
  type BillingEvent,
  type ControlStores,
  type JsonObject,
  type SubscriptionPlan,
  subscriptionOf,
  toInstant,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { fieldDiff } from "../field-diff.ts";
import type { Billing } from "./billing.ts";

type ApplyDeps = Pick<Deps, "control" | "plans" | "seatCaps" | "clock" | "newId" | "log">;

/**
 * Stores an event of the billing provider and recomputes the org's plan from all its events so far. Harmless to repeat. An event of a
 * customer without a known org waits until the org is known.
 */
export async function applyBillingEvent(
  event: BillingEvent,
  billing: Billing,
  deps: ApplyDeps,
): Promise<void> {
  warnOfUnknownPrices(event, billing, deps);
  const { orgId, isChanged, liveCount } = await deps.control.transaction((stores) =>
    storeEvent(event, billing, { ...deps, stores }),
  );
  if (orgId === null) {
    const { id, type, customerId } = event;
    deps.log.warn({ event: id, type, customer: customerId }, "a billing event names no known org");
  }
  if (liveCount > 1) {
    const { customerId } = event;
    deps.log.warn(
      { org: orgId, customer: customerId, subscriptions: liveCount },
      "an organization has several live subscriptions and pays for each: cancel all but one at Stripe",
    );
  }
  if (orgId === null || !isChanged) return;
  deps.plans.forget(orgId);
  void deps.seatCaps.push(orgId);
}

type StoreDeps = Pick<Deps, "clock" | "newId"> & { readonly stores: ControlStores };

async function storeEvent(event: BillingEvent, billing: Billing, deps: StoreDeps) {
  const { stores } = deps;
  const named = await existing(event.orgId, stores);
  await stores.billing.record({ ...event, orgId: named });
  const orgId = named ?? (await existing(await stores.billing.findOrgId(event.customerId), stores));
  if (orgId === null) return { orgId, isChanged: false, liveCount: 0 };
  await stores.orgs.lock(orgId);
  const { subscription: before } = await stores.plans.get(orgId);
  const { plan: after, liveCount } = subscriptionOf(
    await stores.billing.listEvents(orgId),
    billing.planOfPrice,
  );
  const diff = planDiff(before, after);
  const isChanged = Object.keys(diff).length > 0;
  if (isChanged) {
    await stores.plans.putSubscription(orgId, after);
    await stores.audit.record(planChange({ orgId, after, diff }, deps));
  }
  return { orgId, isChanged, liveCount };
}

async function existing(orgId: string | null, { orgs }: Pick<ControlStores, "orgs">): Promise<string | null> {
  return orgId === null ? null : ((await orgs.find(orgId))?.id ?? null);
}

function planDiff(before: SubscriptionPlan, after: SubscriptionPlan): JsonObject {
  const to = planFields(after);
  return fieldDiff(planFields(before), to, Object.keys(to));
}

function planFields({ plan, next }: SubscriptionPlan) {
  return {
    subscription_plan: plan,
    next_plan: next?.plan ?? null,
    next_plan_at: next === null ? null : toInstant(next.at),
  };
}

interface PlanChange {
  readonly orgId: string;
  readonly after: SubscriptionPlan;
  readonly diff: JsonObject;
}

function planChange({ orgId, after: { plan, next }, diff }: PlanChange, deps: StoreDeps) {
  const then = next === null ? "" : `, and ${next.plan} from ${toInstant(next.at)} on`;
  const summary = `The subscription gives the plan ${plan}${then}.`;
  const action = { action: "plan.change", targetType: "org", targetId: orgId, summary, diff };
  return auditEntry({ userId: "billing-provider", name: "Stripe", email: "", orgId }, action, deps);
}

/**
 * Warns when no price of a subscription belongs to a plan. Most likely the settings lack it. There may be other prices
 * in addition to the plan's, such as the meter's.
 */
function warnOfUnknownPrices({ id, subscription }: BillingEvent, billing: Billing, { log }: ApplyDeps): void {
  const prices = subscription?.priceIds ?? [];
  if (prices.length === 0 || prices.some((price) => billing.planOfPrice(price) !== null)) return;
  log.warn(
    { event: id, subscription: subscription?.id, prices },
    "a subscription has no price that belongs to a plan",
  );
}
