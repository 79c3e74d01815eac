import Stripe from "stripe";
import type { BillingSettings } from "../settings/billing-settings.ts";
import { stripeClient } from "./stripe-billing.ts";

/** Checks that plans can be sold by loading their prices from Stripe. Throws an error whose message says how to fix it. */
export async function probeBilling(billing: BillingSettings | null): Promise<string> {
  if (billing === null) return "none: the platform owner sets the plans";
  const { prices } = stripeClient(billing);
  await prices.retrieve(billing.prices.pro).catch(remedy("ASSAY_BILLING_PRICE_PRO"));
  await prices.retrieve(billing.prices.business).catch(remedy("ASSAY_BILLING_PRICE_BUSINESS"));
  if (billing.meter !== null) await probeMeter(billing, billing.meter);
  return "Stripe accepts the key and knows both prices";
}

/** Stripe's own message may quote the key, so it is not repeated. */
function remedy(price: string): (error: unknown) => never {
  return (error) => {
    const { StripeAuthenticationError, StripePermissionError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError)
      throw new Error("Stripe does not accept this key: check ASSAY_BILLING_SECRET_KEY and its rights.");
    if (error instanceof StripeInvalidRequestError)
      throw new Error(`Stripe does not know this price: check ${price}.`);
    throw new Error("Stripe does not answer: check the network, and ASSAY_BILLING_API_URL if it is set.");
  };
}

const MAX_METERS = 100;

async function probeMeter(billing: BillingSettings, meter: string): Promise<void> {
  const { data } = await stripeClient(billing)
    .billing.meters.list({ status: "active", limit: MAX_METERS })
    .catch(remedy("ASSAY_BILLING_METER"));
  if (!data.some(({ event_name: name }) => name === meter))
    throw new Error("Stripe has no active meter with this event name: check ASSAY_BILLING_METER.");
}
