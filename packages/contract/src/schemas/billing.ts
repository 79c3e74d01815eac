import { PLANS, SUBSCRIPTION_STATUSES } from "@assay/domain";
import { Type } from "typebox";
import { Instant, Nullable, OneOf, strict } from "./shared.ts";

export const BillingSummary = Type.Object(
  {
    plan: OneOf(PLANS, { description: "The plan in force, including an override." }),
    plan_override: Nullable(OneOf(PLANS)),
    subscription_plan: OneOf(PLANS, { description: "The subscription's plan, ignoring an override." }),
    subscription_status: Nullable(
      OneOf(SUBSCRIPTION_STATUSES, {
        description: "As the billing provider names it. Null: no subscription yet.",
      }),
    ),
    next_plan: Nullable(OneOf(PLANS, { description: "The lower plan that takes effect next." })),
    next_plan_at: Nullable(Instant),
    current_period_end: Nullable(Instant),
    cancel_at_period_end: Type.Boolean(),
    has_billing_account: Type.Boolean({ description: "Whether the billing portal can be opened." }),
    live_subscriptions: Type.Integer({
      description:
        "Subscriptions that charge the organization or may do so again. More than one is an error: fix it in the portal.",
    }),
    billing_configured: Type.Boolean({ description: "Whether this installation has a billing provider." }),
  },
  { $id: "BillingSummary" },
);

export const CheckoutRequest = Type.Object(
  { plan: OneOf(["pro", "business"]) },
  { ...strict, $id: "CheckoutRequest" },
);

export const HostedUrl = Type.Object(
  { url: Type.String({ description: "A page of the billing provider." }) },
  { $id: "HostedUrl" },
);

export const StripeEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    created: Type.Integer({ description: "Seconds since 1970; the newest event wins." }),
    data: Type.Object({ object: Type.Unknown() }),
  },
  { $id: "StripeEvent", description: "A Stripe event of any API version." },
);
