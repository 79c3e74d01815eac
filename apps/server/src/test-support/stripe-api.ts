import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import Stripe from "stripe";
import type { BillingSettings } from "../settings/billing-settings.ts";

/** How the stand-in fails: with an answer of Stripe's own, or by breaking the connection. */
type Failure = 400 | 401 | 429 | 500 | "reset";

export interface AskedRequest {
  readonly path: string;
  /** The form's fields, under the names of the wire: `line_items[0][price]`. */
  readonly form: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
}

/** A local server that speaks Stripe's HTTP for checkout and portal sessions, prices and billing meters. */
export interface StripeApi {
  /** Those of an account at this server. */
  readonly settings: BillingSettings;
  /** Every request so far, those that failed included. */
  readonly asked: readonly AskedRequest[];
  /** Ids of the checkouts that can be paid now. */
  openCheckouts(): readonly string[];
  /** Pays an open checkout. */
  pay(checkoutId: string, subscriptionId: string): void;
  /** The meter events that count, by customer. */
  metered(): Readonly<Record<string, number>>;
  /** Lets the next requests fail, in this order. */
  fail(...failures: readonly Failure[]): void;
  close(): Promise<void>;
}

const SECRET_KEY = "sk_test_a_key_that_nobody_may_see";
const WEBHOOK_SECRET = "whsec_a_secret_that_nobody_may_see";
/** The event name of the one active meter. */
export const METER = "assay_overage";
export const PRICES = { pro: "price_pro", business: "price_business" } as const;

/** One that was deleted at Stripe. */
export const UNKNOWN_CUSTOMER = "cus_gone";

/** What Stripe demands of a request. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "/v1/checkout/sessions": ["mode", "line_items[0][price]", "line_items[0][quantity]", "success_url"],
  "/v1/billing_portal/sessions": ["customer"],
  "/v1/billing/meter_events": ["event_name", "payload[stripe_customer_id]", "payload[value]"],
};

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** What the account holds. */
interface Account {
  readonly checkouts: Map<string, { readonly status: string; readonly subscription: string | null }>;
  /** By identifier. */
  readonly meterEvents: Map<string, { readonly customer: string; readonly value: number }>;
}

/** Starts the stand-in on a free port of this machine. */
export async function openStripeApi(): Promise<StripeApi> {
  const asked: AskedRequest[] = [];
  const failures: Failure[] = [];
  const account: Account = { checkouts: new Map(), meterEvents: new Map() };
  const replay = new Map<string, { readonly form: string; readonly reply: Reply }>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push({ path, form, headers: request.headers });
    const failure = failures.shift();
    if (failure === "reset") return void request.socket.resetAndDestroy();
    send(
      response,
      failure === undefined ? answer({ path, form, headers: request.headers }) : refusal(failure),
    );
  }

  function answer({ path, form, headers }: AskedRequest): Reply {
    const key = headers["idempotency-key"];
    if (typeof key !== "string") return open({ path, form, headers }, account, replay.size);
    const sent = JSON.stringify([path, form]);
    const known = replay.get(key);
    if (known) return known.form === sent ? known.reply : fault(400, { type: "idempotency_error" });
    const reply = open({ path, form, headers }, account, replay.size);
    replay.set(key, { form: sent, reply });
    return reply;
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, prices: PRICES, meter: null, apiUrl },
    asked,
    openCheckouts: () =>
      [...account.checkouts].flatMap(([id, { status }]) => (status === "open" ? [id] : [])),
    pay: (id, subscription) => void account.checkouts.set(id, { status: "complete", subscription }),
    metered() {
      const sums: Record<string, number> = {};
      for (const { customer, value } of account.meterEvents.values())
        sums[customer] = (sums[customer] ?? 0) + value;
      return sums;
    },
    fail: (...next) => void failures.push(...next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function open({ path, form, headers }: AskedRequest, account: Account, serial: number): Reply {
  if (headers.authorization !== `Bearer ${SECRET_KEY}`) return refusal(401);
  const [, asked] = /^\/v1\/prices\/(\w+)$/.exec(path) ?? [];
  if (asked !== undefined)
    return isPrice(asked)
      ? { status: 200, body: { id: asked, object: "price", active: true } }
      : fault(404, { code: "resource_missing", param: "price" });
  const [, checkout, end] = /^\/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(path) ?? [];
  if (checkout !== undefined) return knownCheckout(checkout, end !== undefined, account);
  if (path.startsWith("/v1/billing/meters?"))
    return { status: 200, body: { object: "list", data: [{ id: "mtr_1", event_name: METER }] } };
  const required = REQUIRED[path];
  if (!required) return fault(404, { message: `Unrecognized request URL (POST: ${path}).` });
  const missing = required.find((name) => !form[name]);
  if (missing) return fault(400, { code: "parameter_missing", param: missing });
  const price = form["line_items[0][price]"];
  if (price !== undefined && !isPrice(price))
    return fault(400, { code: "resource_missing", param: "line_items[0][price]" });
  if (form.customer === UNKNOWN_CUSTOMER)
    return fault(400, { code: "resource_missing", param: "customer", message: "No such customer." });
  if (path === "/v1/billing/meter_events") return recordMeterEvent(form, account);
  if (path === "/v1/checkout/sessions")
    account.checkouts.set(`s_${serial}`, { status: "open", subscription: null });
  const object = path.includes("portal") ? "billing_portal.session" : "checkout.session";
  return { status: 200, body: { id: `s_${serial}`, object, url: `https://stripe.test/${object}/${serial}` } };
}

function knownCheckout(id: string, isExpiring: boolean, { checkouts }: Account): Reply {
  const known = checkouts.get(id);
  if (known === undefined) return fault(404, { code: "resource_missing", param: "id" });
  if (isExpiring && known.status !== "open")
    return fault(400, { message: `Only Checkout Sessions with a status in ["open"] can be expired.` });
  const session = isExpiring ? { ...known, status: "expired" } : known;
  checkouts.set(id, session);
  return { status: 200, body: { id, object: "checkout.session", ...session } };
}

function recordMeterEvent(form: AskedRequest["form"], { meterEvents }: Account): Reply {
  const { identifier = "", event_name: name } = form;
  if (name !== METER) return fault(400, { message: `No active meter found for event name ${name}.` });
  if (meterEvents.has(identifier))
    return fault(400, { message: `An event already exists with identifier ${identifier}.` });
  const customer = form["payload[stripe_customer_id]"] ?? "";
  meterEvents.set(identifier, { customer, value: Number(form["payload[value]"]) });
  return { status: 200, body: { object: "billing.meter_event", identifier } };
}

const isPrice = (id: string) => Object.values<string>(PRICES).includes(id);

function refusal(status: Exclude<Failure, "reset">): Reply {
  // A key at fault is quoted by Stripe itself, which is what must not reach the log.
  if (status === 401) return fault(401, { message: `Invalid API Key provided: ${SECRET_KEY}` });
  return fault(
    status,
    status === 500 ? { type: "api_error" } : { code: status === 429 ? "rate_limit" : "refused" },
  );
}

function fault(status: number, error: Readonly<Record<string, string>>): Reply {
  return { status, body: { error: { type: "invalid_request_error", message: "It failed.", ...error } } };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_1" });
  response.end(JSON.stringify(body));
}

/** Writes the signature of a webhook, as Stripe makes it at an instant (epoch milliseconds). */
export function signStripe(payload: string, at: number, secret: string = WEBHOOK_SECRET): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(at / 1000) });
}

interface EventFacts {
  readonly id?: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly customer?: unknown;
  /** Goes onto the object that the event is about. */
  readonly [field: string]: unknown;
}

/** A finished checkout. */
export function checkoutEvent({ at, id = `evt_${at}_checkout`, customer = "cus_1", ...object }: EventFacts) {
  const session = { object: "checkout.session", mode: "subscription", customer, ...object };
  return {
    id,
    object: "event",
    type: "checkout.session.completed",
    created: at / 1000,
    data: { object: session },
  };
}

interface SubscriptionFacts extends EventFacts {
  readonly type?: "created" | "updated" | "deleted";
  readonly price?: string;
  readonly endsAt: number;
}

/** A subscription event: active on pro by default. */
export function subscriptionEvent({
  at,
  id,
  type = "updated",
  price = PRICES.pro,
  endsAt,
  ...more
}: SubscriptionFacts) {
  const subscription = {
    id: "sub_1",
    object: "subscription",
    customer: "cus_1",
    status: "active",
    cancel_at_period_end: false,
    cancel_at: null,
    metadata: {},
    items: {
      object: "list",
      data: [{ id: "si_1", current_period_end: endsAt / 1000, price: { id: price } }],
    },
    ...more,
  };
  return {
    id: id ?? `evt_${at}_${type}_${subscription.status}`,
    object: "event",
    type: `customer.subscription.${type}`,
    created: at / 1000,
    data: { object: subscription },
  };
}
