import {
  BILLING_EVENT_TYPES,
  type BillingEvent,
  isId,
  SUBSCRIPTION_STATUSES,
  type SubscriptionSnapshot,
  type SubscriptionStatus,
} from "@assay/domain";
import { type Static, type TSchema, Type } from "typebox";
import { compileCheck, rejectBody, unreadable } from "../http/validate.ts";

const nullish = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Seconds = Type.Integer({ minimum: 0 });
/** Another Stripe object: its id, or the object itself when expanded. */
const Reference = Type.Union([Type.String(), Type.Object({ id: Type.String() })]);
const Metadata = nullish(Type.Record(Type.String(), Type.String()));

const eventOf = <T extends TSchema>(object: T) =>
  Type.Object({ id: Type.String({ minLength: 1 }), created: Seconds, data: Type.Object({ object }) });

const CheckoutSession = Type.Object({
  customer: nullish(Reference),
  client_reference_id: nullish(Type.String()),
  metadata: Metadata,
});

const Subscription = Type.Object({
  id: Type.String({ minLength: 1 }),
  customer: Reference,
  status: Type.Unsafe<SubscriptionStatus>({ type: "string", enum: SUBSCRIPTION_STATUSES }),
  cancel_at_period_end: Type.Boolean(),
  cancel_at: nullish(Seconds),
  /** Set by API versions before 2025-03-31; later ones set it on each item. */
  current_period_end: nullish(Seconds),
  items: Type.Object({
    data: Type.Array(Type.Object({ price: Reference, current_period_end: nullish(Seconds) })),
  }),
  metadata: Metadata,
});

const CheckoutEvent = eventOf(CheckoutSession);
const SubscriptionEvent = eventOf(Subscription);
const checkCheckout = compileCheck(CheckoutEvent);
const checkSubscription = compileCheck(SubscriptionEvent);

/**
 * Reduces a Stripe event, of any API version, to what Assay uses. Null for an event of another type and for a checkout without a
 * customer. Throws `invalid-body` when an event that Assay uses cannot be read.
 */
export function readStripeEvent(body: unknown): BillingEvent | null {
  // Stripe's newer event format has another shape; Assay uses none of those events.
  const named = (body as { readonly type?: unknown } | null)?.type;
  if (typeof named !== "string") throw unreadable("The body is not a Stripe event.");
  const type = BILLING_EVENT_TYPES.find((one) => one === named);
  if (type === undefined) return null;
  return type === "checkout.session.completed" ? readCheckout(type, body) : readSubscription(type, body);
}

function readCheckout(type: BillingEvent["type"], body: unknown): BillingEvent | null {
  rejectBody(checkCheckout(body));
  const { id, created, data } = body as Static<typeof CheckoutEvent>;
  const { customer, metadata, client_reference_id: reference } = data.object;
  if (customer === undefined || customer === null) return null;
  const orgId = toOrgId(metadata?.org_id ?? reference);
  return { id, type, createdAt: created * 1000, customerId: idOf(customer), orgId, subscription: null };
}

function readSubscription(type: BillingEvent["type"], body: unknown): BillingEvent {
  rejectBody(checkSubscription(body));
  const { id, created, data } = body as Static<typeof SubscriptionEvent>;
  const { customer, metadata } = data.object;
  return {
    id,
    type,
    createdAt: created * 1000,
    customerId: idOf(customer),
    orgId: toOrgId(metadata?.org_id),
    subscription: toSnapshot(data.object),
  };
}

function toSnapshot({ id, status, items, ...rest }: Static<typeof Subscription>): SubscriptionSnapshot {
  const ends = [rest, ...items.data].flatMap(({ current_period_end: end }) => end ?? []);
  if (ends.length === 0) throw unreadable("The subscription does not say when its billing cycle ends.");
  const end = Math.max(...ends);
  // The portal of newer API versions cancels with the instant alone.
  const { cancel_at: cancelAt, cancel_at_period_end: isFlagged } = rest;
  return {
    id,
    status,
    priceIds: items.data.map(({ price }) => idOf(price)),
    cycleEndsAt: end * 1000,
    cancelsAtCycleEnd: isFlagged || (typeof cancelAt === "number" && cancelAt <= end),
  };
}

function idOf(reference: Static<typeof Reference>): string {
  return typeof reference === "string" ? reference : reference.id;
}

/** Other programs may write other references into the field. They name no org. */
function toOrgId(text: string | null | undefined): string | null {
  return isId(text) ? text : null;
}
