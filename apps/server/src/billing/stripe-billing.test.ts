import { DomainError } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  checkoutEvent,
  METER,
  openStripeApi,
  type StripeApi,
  signStripe,
  UNKNOWN_CUSTOMER,
} from "../test-support/stripe-api.ts";
import type { Billing } from "./billing.ts";
import { stripeBilling } from "./stripe-billing.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const ORG = "01890000-0000-7000-8000-000000000001";
const clock = { now: () => NOW };
const order = {
  orgId: ORG,
  plan: "pro",
  email: "ann@example.org",
  customerId: null,
  successUrl: "https://assay.test/?billing=done",
  cancelUrl: "https://assay.test/?billing=canceled",
} as const;

let stripe: StripeApi;
let billing: Billing;
beforeAll(async () => {
  stripe = await openStripeApi();
});
beforeEach(() => {
  billing = stripeBilling(stripe.settings, clock);
});
afterAll(() => stripe.close());

async function problemOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error,
  );
}

describe("a checkout", () => {
  test("is one of a subscription to the plan's price, and names the org on itself and on the subscription", async () => {
    expect((await billing.createCheckout(order)).url).toMatch(/^https:\/\/stripe\.test\/checkout\.session/);
    const { path, form, headers } = stripe.asked.at(-1) ?? expect.fail();
    expect(path).toBe("/v1/checkout/sessions");
    expect(form).toEqual({
      mode: "subscription",
      "line_items[0][price]": "price_pro",
      "line_items[0][quantity]": "1",
      client_reference_id: ORG,
      "metadata[org_id]": ORG,
      "subscription_data[metadata][org_id]": ORG,
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
      customer_email: order.email,
    });
    expect(headers.authorization).toBe(`Bearer ${stripe.settings.secretKey}`);
    expect(headers["idempotency-key"]).toBeTruthy();
    expect(headers).not.toHaveProperty("x-stripe-client-telemetry");
  });

  test.each([
    { name: "a known customer", change: { customerId: "cus_1" }, form: { customer: "cus_1" } },
    { name: "a person without an email", change: { email: "" }, form: {} },
  ])("of $name sends no email", async ({ change, form }) => {
    await billing.createCheckout({ ...order, ...change });
    const sent = stripe.asked.at(-1)?.form;
    expect(sent).toMatchObject(form);
    expect(sent).not.toHaveProperty("customer_email");
  });

  test("of the plan business is one to its price", async () => {
    await billing.createCheckout({ ...order, plan: "business" });
    expect(stripe.asked.at(-1)?.form["line_items[0][price]"]).toBe("price_business");
  });
});

describe("closing a checkout", () => {
  test("leaves none that can be paid, and may be repeated", async () => {
    const { id } = await billing.createCheckout(order);
    expect(stripe.openCheckouts()).toContain(id);
    expect(await billing.closeCheckout(id)).toBeNull();
    expect(stripe.openCheckouts()).not.toContain(id);
    expect(await billing.closeCheckout(id)).toBeNull();
  });

  test("that was paid answers its subscription", async () => {
    const { id } = await billing.createCheckout(order);
    stripe.pay(id, "sub_9");
    expect(await billing.closeCheckout(id)).toEqual({ subscriptionId: "sub_9" });
  });

  test("that Stripe does not know closes nothing", async () => {
    expect(await billing.closeCheckout("cs_gone")).toBeNull();
  });

  test("is billing-unavailable while Stripe does not answer", async () => {
    stripe.fail("reset", "reset");
    expect(await problemOf(billing.closeCheckout("cs_1"))).toMatchObject({ kind: "billing-unavailable" });
  });
});

describe("overage", () => {
  const overage = { customerId: "cus_1", events: 12, at: NOW + 999, id: "org.2026-11.0-12" };

  test("is a meter event, and a repeat counts once", async () => {
    const { meterOverage } = stripeBilling({ ...stripe.settings, meter: METER }, clock);
    await meterOverage?.(overage);
    await meterOverage?.(overage);
    expect(stripe.metered()).toEqual({ cus_1: 12 });
    expect(stripe.asked.at(-1)).toMatchObject({
      path: "/v1/billing/meter_events",
      form: {
        event_name: METER,
        identifier: overage.id,
        timestamp: String(NOW / 1000),
        "payload[stripe_customer_id]": "cus_1",
        "payload[value]": "12",
      },
    });
  });

  test("of another meter is refused", async () => {
    const { meterOverage } = stripeBilling({ ...stripe.settings, meter: "other" }, clock);
    expect(String(await problemOf(meterOverage!({ ...overage, id: "x" })))).toContain(
      "A request to Stripe failed",
    );
  });

  test("goes nowhere without a meter", () => expect(billing.meterOverage).toBeNull());
});

test("the portal is the customer's and leads back", async () => {
  expect(await billing.createPortal("cus_1", "https://assay.test/")).toMatch(/billing_portal/);
  const { path, form } = stripe.asked.at(-1) ?? expect.fail();
  expect([path, form]).toEqual([
    "/v1/billing_portal/sessions",
    { customer: "cus_1", return_url: "https://assay.test/" },
  ]);
});

describe("a customer that Stripe does not know any more", () => {
  test("checks out as a new one", async () => {
    const { url } = await billing.createCheckout({ ...order, customerId: UNKNOWN_CUSTOMER });
    expect(url).toMatch(/checkout/);
    const { form } = stripe.asked.at(-1) ?? expect.fail();
    expect(form).toMatchObject({ customer_email: order.email });
    expect(form).not.toHaveProperty("customer");
  });

  test("has no portal", async () => {
    const error = await problemOf(billing.createPortal(UNKNOWN_CUSTOMER, "https://assay.test/"));
    expect(error).toMatchObject({ kind: "no-billing-account" });
  });
});

describe("a fault of Stripe's", () => {
  test.each(["reset", 500] as const)(
    "that passes (%s) is tried again as the same request",
    async (failure) => {
      const before = stripe.asked.length;
      stripe.fail(failure);
      await billing.createCheckout(order);
      const keys = stripe.asked.slice(before).map(({ headers }) => headers["idempotency-key"]);
      expect(keys).toHaveLength(2);
      expect(new Set(keys).size).toBe(1);
    },
  );

  test.each([{ failures: ["reset", "reset"] }, { failures: [500, 500] }, { failures: [429] }] as const)(
    "that lasts ($failures) is billing-unavailable, with the time to come back",
    async ({ failures }) => {
      stripe.fail(...failures);
      const error = await problemOf(billing.createCheckout(order));
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ kind: "billing-unavailable", retryAfterSeconds: 10 });
    },
  );

  test("is billing-unavailable when nobody listens", async () => {
    const gone = await openStripeApi();
    await gone.close();
    const error = await problemOf(
      stripeBilling(gone.settings, clock).createPortal("cus_1", "https://assay.test/"),
    );
    expect(error).toMatchObject({ kind: "billing-unavailable" });
  });

  test.each([400, 401] as const)("that is ours (%i) names what Stripe names, and no key", async (failure) => {
    stripe.fail(failure);
    const error = (await problemOf(billing.createCheckout(order))) as Error;
    expect(error).not.toBeInstanceOf(DomainError);
    expect(error.message).toContain(`"statusCode":${failure}`);
    expect(JSON.stringify([error.message, error.stack, { ...error }])).not.toContain("sk_test");
  });
});

test("a price names its plan", () => {
  expect(["price_pro", "price_business", "price_other"].map(billing.planOfPrice)).toEqual([
    "pro",
    "business",
    null,
  ]);
});

describe("a delivery", () => {
  const payload = JSON.stringify(checkoutEvent({ at: NOW }));
  const signature = signStripe(payload, NOW);

  test.each([
    { name: "another body", body: payload.replace("cus_1", "cus_2"), header: signature },
    { name: "another secret", body: payload, header: signStripe(payload, NOW, "whsec_another") },
    { name: "an old signature", body: payload, header: signStripe(payload, NOW - 301_000) },
    { name: "another instant", body: payload, header: signature.replace(/t=\d+/, `t=${NOW / 1000 + 1}`) },
    { name: "no instant", body: payload, header: signature.replace(/t=\d+,/, "") },
    { name: "an invalid instant", body: payload, header: signature.replace(/t=\d+/, "t=soon") },
    { name: "no signature", body: payload, header: `t=${NOW / 1000}` },
    { name: "an empty signature", body: payload, header: `t=${NOW / 1000},v1=` },
    { name: "a signature of other letters", body: payload, header: `t=${NOW / 1000},v1=${"é".repeat(64)}` },
    { name: "another scheme", body: payload, header: signature.replace("v1=", "v0=") },
    { name: "text", body: payload, header: "text" },
  ])("with $name is refused", ({ body, header }) => {
    expect(() => billing.readEvent(Buffer.from(body), header)).toThrow(
      expect.objectContaining({ kind: "invalid-signature" }),
    );
  });

  test("signed five minutes ago, or with another secret's signature beside, is taken and read", () => {
    for (const header of [signStripe(payload, NOW - 300_000), `${signature},v1=${"0".repeat(64)}`])
      expect(billing.readEvent(Buffer.from(payload), header)).toMatchObject({ customerId: "cus_1" });
  });

  test("that is signed but no JSON is a fault of the body", () => {
    expect(() => billing.readEvent(Buffer.from("{"), signStripe("{", NOW))).toThrow(
      expect.objectContaining({ kind: "invalid-body" }),
    );
  });
});
