import { type Clock, DomainError } from "@assay/domain";
import Stripe from "stripe";
import { parseJson } from "../http/raw-request.ts";
import type { BillingSettings } from "../settings/billing-settings.ts";
import type { Billing, PaidCheckout, PaidPlan } from "./billing.ts";
import { readStripeEvent } from "./stripe-event.ts";

const TIMEOUT_MS = 10_000;
const RETRY_AFTER_SECONDS = 10;
/** The maximum age of a signature, against replayed deliveries. */
const SIGNATURE_TOLERANCE_SECONDS = 300;
const PAID_PLANS: readonly PaidPlan[] = ["pro", "business"];

/** Makes the billing provider over Stripe's official library. */
export function stripeBilling(settings: BillingSettings, clock: Clock): Billing {
  const client = stripeClient(settings);
  return {
    async createCheckout(order) {
      const open = (customerId: string | null) =>
        client.checkout.sessions.create(checkoutParams({ ...order, customerId }, settings.prices));
      const session = await explained(
        open(order.customerId).catch((error: unknown) => {
          if (isUnknownCustomer(error)) return open(null);
          throw error;
        }),
      );
      return { id: session.id, url: addressOfPage(session) };
    },
    closeCheckout: (id) => explained(closeCheckout(id, client)),
    createPortal: async (customer, returnUrl) =>
      addressOfPage(
        await explained(client.billingPortal.sessions.create({ customer, return_url: returnUrl })),
      ),
    meterOverage: settings.meter === null ? null : meterOverage(settings.meter, client),
    readEvent(body, signature) {
      verify({ body, signature, secret: settings.webhookSecret, now: clock.now() }, client);
      return readStripeEvent(parseJson(body));
    },
    planOfPrice: (priceId) => PAID_PLANS.find((plan) => settings.prices[plan] === priceId) ?? null,
  };
}

/** Makes the library's client for the account in the settings. */
export function stripeClient({ secretKey, apiUrl }: BillingSettings): Stripe {
  return new Stripe(secretKey, {
    ...addressOf(apiUrl),
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
}

function addressOf(apiUrl: string | null): Stripe.StripeConfig {
  if (apiUrl === null) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  const isPlain = protocol === "http:";
  return {
    protocol: isPlain ? "http" : "https",
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port || (isPlain ? 80 : 443),
  };
}

type CheckoutOrder = Parameters<Billing["createCheckout"]>[0];

/** Puts the org's id on the session and on the subscription, so that each of their events names the org. */
function checkoutParams(
  order: CheckoutOrder,
  prices: BillingSettings["prices"],
): Stripe.Checkout.SessionCreateParams {
  const metadata = { org_id: order.orgId };
  return {
    mode: "subscription",
    line_items: [{ price: prices[order.plan], quantity: 1 }],
    client_reference_id: order.orgId,
    metadata,
    subscription_data: { metadata },
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    ...payer(order),
  };
}

/** Reuses the customer of an org that paid before. Stripe asks a new customer for the email when none is known. */
function payer({ customerId, email }: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  if (customerId !== null) return { customer: customerId };
  return email === "" ? {} : { customer_email: email };
}

/** Whether the customer was deleted at Stripe, or belongs to its test mode. */
function isUnknownCustomer(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  return error.code === "resource_missing" && error.param === "customer";
}

/** Stripe expires only open sessions: after that, a person with the page still open can no longer pay. */
async function closeCheckout(id: string, { checkout: { sessions } }: Stripe): Promise<PaidCheckout | null> {
  try {
    await sessions.expire(id);
    return null;
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    if (error.code === "resource_missing") return null;
  }
  const { status, subscription } = await sessions.retrieve(id);
  if (status !== "complete") return null;
  return { subscriptionId: typeof subscription === "string" ? subscription : (subscription?.id ?? null) };
}

const meterOverage =
  (eventName: string, { billing }: Stripe): NonNullable<Billing["meterOverage"]> =>
  async ({ customerId, events, at, id }) => {
    await explained(
      billing.meterEvents
        .create({
          event_name: eventName,
          identifier: id,
          timestamp: Math.floor(at / 1000),
          payload: { stripe_customer_id: customerId, value: String(events) },
        })
        .catch((error: unknown) => {
          if (!isRepeatedReport(error)) throw error;
        }),
    );
  };

/** For a repeated identifier, Stripe returns only a message, without an error code of its own. */
function isRepeatedReport(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.message.includes("already exists with identifier")
  );
}

function addressOfPage({ url }: { readonly url: string | null }): string {
  if (url === null) throw new Error("Stripe made a session without an address.");
  return url;
}

function explained<T>(request: Promise<T>): Promise<T> {
  return request.catch((error: unknown) => {
    throw explain(error);
  });
}

/** Replaces Stripe's errors, whose headers and texts may quote a key, with one that only names the fault. */
function explain(error: unknown): unknown {
  const { StripeError, StripeConnectionError, StripeAPIError, StripeRateLimitError } = Stripe.errors;
  const isTransient = [StripeConnectionError, StripeAPIError, StripeRateLimitError].some(
    (kind) => error instanceof kind,
  );
  if (isTransient) {
    return new DomainError("billing-unavailable", "Stripe does not answer: try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: safeError(error),
    });
  }
  if (isUnknownCustomer(error))
    return new DomainError(
      "no-billing-account",
      "Stripe no longer knows this organization's customer: start with POST /v1/billing/checkout-session.",
    );
  if (!(error instanceof StripeError)) return error;
  return safeError(error);
}

function safeError(error: unknown): Error {
  const { type, statusCode, code, param, requestId } = error as Stripe.errors.StripeError;
  return new Error(
    `A request to Stripe failed: ${JSON.stringify({ type, statusCode, code, param, requestId })}`,
  );
}

interface Delivery {
  readonly body: Buffer;
  readonly signature: string;
  readonly secret: string;
  readonly now: number;
}

function verify(delivery: Delivery, { webhooks }: Pick<Stripe, "webhooks">): void {
  if (isVerified(delivery, webhooks)) return;
  throw new DomainError(
    "invalid-signature",
    "The signature could not be verified with the signing secret of the billing webhook, or it is older than five minutes.",
  );
}

function isVerified({ body, signature, secret, now }: Delivery, { signature: verifier }: Stripe["webhooks"]) {
  const tolerance = SIGNATURE_TOLERANCE_SECONDS;
  try {
    return verifier?.verifyHeader(body, signature, secret, tolerance, undefined, now) ?? false;
  } catch {
    // For a malformed header the library throws errors of other types. The signature is not verified in any case.
    return false;
  }
}
