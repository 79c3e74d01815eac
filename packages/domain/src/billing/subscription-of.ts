import { PLANS, type Plan } from "../plan/plan.ts";
import { changeSubscription, FREE_PLAN, planInForce, type SubscriptionPlan } from "../plan/plan-state.ts";

/** The provider's event types about subscriptions, weakest first: of two events in one second, the later type counts. */
export const BILLING_EVENT_TYPES = [
  "checkout.session.completed",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
] as const;
export type BillingEventType = (typeof BILLING_EVENT_TYPES)[number];

/** States of a subscription, as the provider names them. */
export const SUBSCRIPTION_STATUSES = [
  "incomplete",
  "active",
  "trialing",
  "past_due",
  "unpaid",
  "paused",
  "canceled",
  "incomplete_expired",
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A subscription's state at the instant of an event. */
export interface SubscriptionSnapshot {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly priceIds: readonly string[];
  /** End of the paid cycle, epoch milliseconds. */
  readonly cycleEndsAt: number;
  readonly cancelsAtCycleEnd: boolean;
}

/** One event of the billing provider, reduced to what we use. */
export interface BillingEvent {
  readonly id: string;
  readonly type: BillingEventType;
  /** When the provider created it, epoch milliseconds (whole seconds). */
  readonly createdAt: number;
  readonly customerId: string;
  /** The org that the event names; null when it names none. */
  readonly orgId: string | null;
  /** Null for a finished checkout, which only links a customer to an org. */
  readonly subscription: SubscriptionSnapshot | null;
}

/** An org's account and subscription with the billing provider. */
export interface OrgSubscription {
  /** Null: the org has no account there. */
  readonly customerId: string | null;
  /** Null: the org never had a subscription. */
  readonly status: SubscriptionStatus | null;
  /** Epoch milliseconds. */
  readonly cycleEndsAt: number | null;
  readonly cancelsAtCycleEnd: boolean;
  /** Subscriptions that the provider's portal can still change or repair. More than one charges the org several times. */
  readonly liveCount: number;
  readonly plan: SubscriptionPlan;
}

type PlanOfPrice = (priceId: string) => Plan | null;

interface Rule {
  /** Whether the plan of the price is in force (contract §7). */
  readonly keepsPlan: boolean;
  readonly isLive: boolean;
  /** Of two events in one second, the one with the later phase counts. */
  readonly phase: number;
}

const RULES: Readonly<Record<SubscriptionStatus, Rule>> = {
  incomplete: { keepsPlan: false, isLive: false, phase: 0 },
  active: { keepsPlan: true, isLive: true, phase: 1 },
  trialing: { keepsPlan: true, isLive: true, phase: 1 },
  past_due: { keepsPlan: true, isLive: true, phase: 1 },
  unpaid: { keepsPlan: false, isLive: true, phase: 1 },
  paused: { keepsPlan: false, isLive: true, phase: 1 },
  canceled: { keepsPlan: false, isLive: false, phase: 2 },
  incomplete_expired: { keepsPlan: false, isLive: false, phase: 2 },
};

/** One subscription after all of its events. */
interface Folded {
  readonly customerId: string;
  readonly snapshot: SubscriptionSnapshot;
  readonly plan: SubscriptionPlan;
}

/**
 * Computes an org's subscription from every event of its customers. They may come in any order, any number of times: they are
 * sorted by creation first. A price that `planOfPrice` does not know gives no plan.
 */
export function subscriptionOf(events: readonly BillingEvent[], planOfPrice: PlanOfPrice): OrgSubscription {
  const inOrder = [...new Map(events.map((event) => [event.id, event])).values()].sort(compareEvents);
  const subscriptions = new Map<string, Folded>();
  for (const { subscription, customerId, createdAt } of inOrder) {
    if (subscription === null) continue;
    const before = subscriptions.get(subscription.id);
    const plan = nextPlan(before, subscription, { now: createdAt, planOfPrice });
    // Deleted and inserted again, so that the subscription with the latest event is last.
    subscriptions.delete(subscription.id);
    subscriptions.set(subscription.id, { customerId, snapshot: subscription, plan });
  }
  const folded = [...subscriptions.values()];
  const decisive = folded.reduce<Folded | null>(moreDecisive, null);
  return {
    customerId: decisive?.customerId ?? inOrder.at(-1)?.customerId ?? null,
    status: decisive?.snapshot.status ?? null,
    cycleEndsAt: decisive?.snapshot.cycleEndsAt ?? null,
    cancelsAtCycleEnd: decisive?.snapshot.cancelsAtCycleEnd ?? false,
    liveCount: folded.filter(isLive).length,
    plan: decisive?.plan ?? FREE_PLAN.subscription,
  };
}

/** Returns the largest plan that an org's subscriptions gave it at any time from `from` until before `to` (epoch milliseconds). */
export function largestPlanWithin(
  events: readonly BillingEvent[],
  planOfPrice: PlanOfPrice,
  { from, to }: { readonly from: number; readonly to: number },
): Plan {
  // Between events, a plan can only become smaller.
  const instants = [from, ...events.map(({ createdAt }) => createdAt).filter((at) => from < at && at < to)];
  const plans = instants.map((at) => {
    const before = events.filter(({ createdAt }) => createdAt <= at);
    return planInForce({ override: null, subscription: subscriptionOf(before, planOfPrice).plan }, at);
  });
  return highestPlan(plans);
}

/** Sorts by instant, then by which event must have happened later within the same second. The id breaks remaining ties. */
function compareEvents(a: BillingEvent, b: BillingEvent): number {
  const rank = ({ type }: BillingEvent) => BILLING_EVENT_TYPES.indexOf(type);
  const phase = ({ subscription }: BillingEvent) => (subscription ? RULES[subscription.status].phase : 0);
  return a.createdAt - b.createdAt || rank(a) - rank(b) || phase(a) - phase(b) || (a.id < b.id ? -1 : 1);
}

function nextPlan(
  before: Folded | undefined,
  { status, priceIds, cycleEndsAt, cancelsAtCycleEnd }: SubscriptionSnapshot,
  { now, planOfPrice }: { readonly now: number; readonly planOfPrice: PlanOfPrice },
): SubscriptionPlan {
  if (!RULES[status].keepsPlan) return FREE_PLAN.subscription;
  const plan = highestPlan(priceIds.map((id) => planOfPrice(id) ?? "free"));
  const current = before?.plan ?? FREE_PLAN.subscription;
  // The higher plan is paid for until the end of its cycle. The new price may already have started another cycle.
  const paidUntil = current.next?.at ?? before?.snapshot.cycleEndsAt ?? now;
  const changed = changeSubscription(current, { plan, now, cycleEndsAt: paidUntil });
  const leaves = cancelsAtCycleEnd && (changed.next === null || changed.next.at >= cycleEndsAt);
  return leaves ? changeSubscription(changed, { plan: "free", now, cycleEndsAt }) : changed;
}

function highestPlan(plans: readonly Plan[]): Plan {
  return plans.reduce((highest, plan) => (isHigher(plan, highest) ? plan : highest), "free");
}

function isHigher(plan: Plan, than: Plan): boolean {
  return PLANS.indexOf(plan) > PLANS.indexOf(than);
}

function isLive({ snapshot }: Folded): boolean {
  return RULES[snapshot.status].isLive;
}

/** Prefers a live subscription to an ended one, then the higher plan, then the newer one, which is `other`. */
function moreDecisive(best: Folded | null, other: Folded): Folded {
  if (best === null) return other;
  if (isLive(best) !== isLive(other)) return isLive(best) ? best : other;
  return isHigher(best.plan.plan, other.plan.plan) ? best : other;
}
