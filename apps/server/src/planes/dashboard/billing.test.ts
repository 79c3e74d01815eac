import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import {
  openStripeApi,
  type StripeApi,
  signStripe,
  subscriptionEvent,
} from "../../test-support/stripe-api.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let stripe: StripeApi;
let api: TestService;
beforeAll(async () => {
  stripe = await openStripeApi();
  api = await openTestService({ billing: stripe.settings });
});
afterAll(async () => {
  await api.stop();
  await stripe.close();
});

type Hosted = WireProblem & { readonly url: string };

const checkout = (token: string, plan: unknown = "pro") =>
  api.call<Hosted>("POST", "/v1/billing/checkout-session", { token, body: { plan } });
const portal = (token: string) => api.call<Hosted>("POST", "/v1/billing/portal-session", { token });
const summary = async (token: string) =>
  (await api.call<Readonly<Record<string, unknown>>>("GET", "/v1/billing/summary", { token })).body;
const audited = async (token: string) =>
  (
    await api.call<{ items: readonly { readonly action: string }[] }>("GET", "/v1/audit", { token })
  ).body.items.filter(({ action }) => action !== "member.sync");

let orgs = 0;
/** An admin of an org of their own. */
async function newOrg() {
  const org = `org-${orgs++}`;
  const token = await api.token({ email: `admin@${org}.org`, role: "admin", org });
  const { body } = await api.call<{ org_id: string }>("GET", "/v1/whoami", { token });
  const orgId = body.org_id;
  const member = () => api.token({ email: `member@${org}.org`, role: "member", org });
  /** Stripe says something of the org's subscription, as from a checkout of ours. */
  const tell = async (more: Readonly<Record<string, unknown>>) => {
    const at = Math.floor(Date.now() / 1000) * 1000;
    const about = { customer: `cus_${orgId}`, metadata: { org_id: orgId }, endsAt: at + 86_400_000 };
    const event = JSON.stringify(subscriptionEvent({ at, id: crypto.randomUUID(), ...about, ...more }));
    const headers = { "billing-signature": signStripe(event, at), "content-type": "application/json" };
    return (await fetch(`${api.service.url}/v1/webhooks/stripe`, { method: "POST", headers, body: event }))
      .status;
  };
  return { token, orgId, member, tell };
}

const lastCheckout = async (orgId: string) => {
  const control = api.openControl();
  const id = await control.billing.findCheckout(orgId);
  await control.close();
  return id ?? expect.fail();
};

describe("a checkout", () => {
  test("answers where to pay, for the caller's org and back to this service, and leaves a trace", async () => {
    const { token, orgId } = await newOrg();
    const { status, body } = await checkout(token, "business");
    expect([status, body]).toEqual([
      200,
      { url: expect.stringMatching(/^https:\/\/stripe\.test\/checkout/) },
    ]);
    expect(stripe.asked.at(-1)?.form).toMatchObject({
      "line_items[0][price]": "price_business",
      client_reference_id: orgId,
      customer_email: `admin@org-${orgs - 1}.org`,
      success_url: `${api.service.url}/usage?billing=done`,
      cancel_url: `${api.service.url}/usage?billing=canceled`,
    });
    expect(await audited(token)).toMatchObject([
      {
        action: "billing.checkout",
        target_type: "org",
        target_id: orgId,
        summary: expect.stringContaining("business"),
      },
    ]);
  });

  test.each(["active", "trialing", "past_due", "unpaid", "paused"])(
    "is refused to an org whose subscription is %s: the portal can change it",
    async (status) => {
      const { token, tell } = await newOrg();
      expect(await tell({ status })).toBe(204);
      const asked = stripe.asked.length;
      const refused = await checkout(token);
      expect([refused.status, slugOf(refused.body)]).toEqual([409, "checkout-conflict"]);
      expect(refused.body.detail).toContain("portal");
      expect(stripe.asked).toHaveLength(asked);
      expect((await portal(token)).status).toBe(200);
    },
  );

  test.each(["canceled", "incomplete", "incomplete_expired"])(
    "of an org whose subscription is %s is that of the same customer",
    async (status) => {
      const { token, orgId, tell } = await newOrg();
      await tell({ status });
      expect((await checkout(token)).status).toBe(200);
      const form = stripe.asked.at(-1)?.form;
      expect(form).toMatchObject({ customer: `cus_${orgId}` });
      expect(form).not.toHaveProperty("customer_email");
    },
  );

  test("is one at a time: the previous one can no longer be paid, even when several people open them at once", async () => {
    const { token, orgId } = await newOrg();
    const before = stripe.openCheckouts();
    const answers = await Promise.all(Array.from({ length: 5 }, () => checkout(token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const open = () => stripe.openCheckouts().filter((id) => !before.includes(id));
    expect(open()).toHaveLength(1);
    expect(open()[0]).toBe(await lastCheckout(orgId));
  });

  test("is refused while a paid one's subscription is on its way, and after it ended is open again", async () => {
    const { token, orgId, tell } = await newOrg();
    await checkout(token);
    stripe.pay(await lastCheckout(orgId), "sub_1");
    const refused = await checkout(token);
    expect([refused.status, slugOf(refused.body)]).toEqual([409, "checkout-conflict"]);
    expect(refused.body.detail).toContain("just paid");
    await tell({});
    expect((await checkout(token)).body.detail).toContain("has a subscription");
    await tell({ status: "canceled", type: "deleted" });
    expect((await checkout(token)).status).toBe(200);
  });

  test.each([{ plan: "free" }, { plan: "enterprise" }, { plan: null }, { plan: undefined }])(
    "of $plan is refused with 400",
    async ({ plan }) => {
      const { token } = await newOrg();
      const refused = await api.call<Hosted>("POST", "/v1/billing/checkout-session", {
        token,
        body: { plan },
      });
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, "/plan"]);
    },
  );
});

describe("the portal", () => {
  test("is the org's own customer's, and leaves a trace", async () => {
    const { token, orgId, tell } = await newOrg();
    await tell({ status: "canceled" });
    const { status, body } = await portal(token);
    expect([status, body]).toEqual([
      200,
      { url: expect.stringMatching(/^https:\/\/stripe\.test\/billing_portal/) },
    ]);
    expect(stripe.asked.at(-1)?.form).toEqual({
      customer: `cus_${orgId}`,
      return_url: `${api.service.url}/usage?billing=portal`,
    });
    expect(await audited(token)).toMatchObject([{ action: "billing.portal", target_id: orgId }]);
  });

  test("is refused to an org that never checked out", async () => {
    const { token } = await newOrg();
    const refused = await portal(token);
    expect([refused.status, slugOf(refused.body)]).toEqual([409, "no-billing-account"]);
  });
});

test("a member reads the summary, and opens neither checkout nor portal", async () => {
  const { token, member } = await newOrg();
  const theirs = await member();
  expect(await summary(theirs)).toEqual(await summary(token));
  const asked = stripe.asked.length;
  for (const refused of [await checkout(theirs), await portal(theirs)])
    expect([refused.status, slugOf(refused.body)]).toEqual([403, "role-required"]);
  expect(stripe.asked).toHaveLength(asked);
});

describe("the summary", () => {
  const nothing = {
    plan: "free",
    plan_override: null,
    subscription_plan: "free",
    subscription_status: null,
    next_plan: null,
    next_plan_at: null,
    current_period_end: null,
    cancel_at_period_end: false,
    has_billing_account: false,
    live_subscriptions: 0,
    billing_configured: true,
  };

  test("of an org that never checked out is that of free", async () => {
    expect(await summary((await newOrg()).token)).toEqual(nothing);
  });

  test("tells the subscription, and what is pinned over it", async () => {
    const { token, orgId, tell } = await newOrg();
    const endsAt = Math.ceil(Date.now() / 1000) * 1000 + 86_400_000;
    const end = new Date(endsAt).toISOString();
    await tell({ endsAt, cancel_at_period_end: true });
    const subscribed = {
      ...nothing,
      plan: "pro",
      subscription_plan: "pro",
      subscription_status: "active",
      next_plan: "free",
      next_plan_at: end,
      current_period_end: end,
      cancel_at_period_end: true,
      has_billing_account: true,
      live_subscriptions: 1,
    };
    expect(await summary(token)).toEqual(subscribed);
    const pin = (plan: string | null) =>
      api.call("PUT", `/v1/admin/orgs/${orgId}/plan-override`, { body: { plan } });
    await pin("enterprise");
    expect(await summary(token)).toEqual({ ...subscribed, plan: "enterprise", plan_override: "enterprise" });
    await pin(null);
    expect(await summary(token)).toEqual(subscribed);
  });
});

test("two live subscriptions are counted, warned of and logged", async () => {
  const { token, orgId, tell } = await newOrg();
  await tell({ id: crypto.randomUUID() });
  expect(await summary(token)).toMatchObject({ live_subscriptions: 1 });
  const at = Math.floor(Date.now() / 1000) * 1000;
  const second = { metadata: { org_id: orgId }, customer: "cus_second", endsAt: at + 86_400_000 };
  const { data, ...event } = subscriptionEvent({ at, id: crypto.randomUUID(), ...second });
  const object = { ...data.object, id: "sub_2" };
  const payload = JSON.stringify({ ...event, data: { object } });
  const headers = { "billing-signature": signStripe(payload, at), "content-type": "application/json" };
  await fetch(`${api.service.url}/v1/webhooks/stripe`, { method: "POST", headers, body: payload });
  expect(await summary(token)).toMatchObject({ live_subscriptions: 2, plan: "pro" });
  expect(api.logged()).toContain("several live subscriptions");
});

describe("while Stripe does not answer", () => {
  test("a checkout answers 503 with the time to come back, and the summary answers", async () => {
    const { token } = await newOrg();
    stripe.fail("reset", "reset");
    const refused = await checkout(token);
    expect([refused.status, slugOf(refused.body)]).toEqual([503, "billing-unavailable"]);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect((await summary(token)).billing_configured).toBe(true);
    expect(await audited(token)).toEqual([]);
  });

  test("a request that Stripe refuses is a bare 500, told to the log without the key", async () => {
    const { token } = await newOrg();
    stripe.fail(401);
    const refused = await checkout(token);
    expect([refused.status, slugOf(refused.body)]).toEqual([500, "internal"]);
    expect(api.logged()).toContain("StripeAuthenticationError");
    expect(api.logged() + JSON.stringify(refused.body)).not.toMatch(/sk_test_a_key|whsec_a_secret/);
  });
});

test("an installation without billing says so", async () => {
  const bare = await openTestService();
  const call = (method: string, path: string, body?: unknown) =>
    bare.call<WireProblem & { billing_configured: boolean }>(method, `/v1/billing/${path}`, { body });
  expect((await call("GET", "summary")).body.billing_configured).toBe(false);
  const answers = [
    await call("POST", "checkout-session", { plan: "pro" }),
    await call("POST", "portal-session"),
  ];
  for (const { status, body } of answers)
    expect([status, slugOf(body)]).toEqual([409, "billing-not-configured"]);
  await bare.stop();
});
