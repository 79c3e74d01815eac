import { operation } from "../operation.ts";
import { BillingSummary, CheckoutRequest, HostedUrl, StripeEvent } from "../schemas/billing.ts";

export const getBillingSummary = operation({
  operationId: "getBillingSummary",
  method: "GET",
  path: "/v1/billing/summary",
  plane: "dashboard",
  summary: "Reads the org's current plan, its next plan, and the state of its subscription.",
  auth: { kind: "session", role: "member" },
  answers: { 200: { description: "The plan and the subscription.", schema: BillingSummary } },
  problems: [],
});

export const postCheckoutSession = operation({
  operationId: "createCheckoutSession",
  method: "POST",
  path: "/v1/billing/checkout-session",
  plane: "dashboard",
  summary:
    "Opens a hosted checkout for a plan. An org with a live subscription changes its plan in the portal instead.",
  auth: { kind: "session", role: "admin", isPersonal: true },
  body: CheckoutRequest,
  answers: { 200: { description: "The checkout page.", schema: HostedUrl } },
  problems: ["billing-not-configured", "checkout-conflict", "billing-unavailable"],
});

export const postPortalSession = operation({
  operationId: "createPortalSession",
  method: "POST",
  path: "/v1/billing/portal-session",
  plane: "dashboard",
  summary: "Opens the hosted billing portal: plan, card, invoices, cancellation.",
  auth: { kind: "session", role: "admin", isPersonal: true },
  answers: { 200: { description: "The portal page.", schema: HostedUrl } },
  problems: ["billing-not-configured", "no-billing-account", "billing-unavailable"],
});

export const postStripeEvent = operation({
  operationId: "receiveStripeEvent",
  method: "POST",
  path: "/v1/webhooks/stripe",
  plane: "webhooks",
  summary:
    "Receives a Stripe event of at most 256 KiB. Subscription events change the plan. Events may arrive in any order and more than once.",
  auth: { kind: "signature", by: "billing" },
  headers: { "Stripe-Signature": "Used when Billing-Signature is absent." },
  body: StripeEvent,
  answers: { 204: { description: "The event was applied, or its type is ignored." } },
  problems: ["rate-limited"],
});
