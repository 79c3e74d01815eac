import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BillingSettings } from "../../settings/billing-settings.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import {
  checkoutEvent,
  openStripeApi,
  PRICES,
  type StripeApi,
  signStripe,
  subscriptionEvent,
} from "../../test-support/stripe-api.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const DAY = 86_400_000;
/** Whole seconds, as Stripe counts. */
const START = Math.floor(Date.now() / 1000) * 1000;
const CYCLE_END = START + 30 * DAY;
const iso = (at: number) => new Date(at).toISOString();

/** The service's clock, which stands still. */
let time = START;
const now = () => time;
const goTo = (at: number) => {
  time = at;
};

/** Read at every start. */
const settings: { billing: BillingSettings | null; enforcePlanLimits: boolean } = {
  billing: null,
  enforcePlanLimits: true,
};
let stripe: StripeApi;
let api: TestService;
beforeAll(async () => {
  stripe = await openStripeApi();
  settings.billing = stripe.settings;
  api = await openTestService(settings, { now });
});
afterAll(async () => {
  await api.stop();
  await stripe.close();
});

async function post(body: string, headers: Readonly<Record<string, string>>, to = api) {
  const response = await fetch(`${to.service.url}/v1/webhooks/stripe`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, text, body: (text === "" ? null : JSON.parse(text)) as WireProblem };
}

const deliver = (event: object | string) => {
  const body = typeof event === "string" ? event : JSON.stringify(event);
  return post(body, { "stripe-signature": signStripe(body, now()) });
};

type Summary = Readonly<Record<string, unknown>>;

let orgs = 0;
/** An org of its own, with what Stripe says of it: each word at a day, counted from the start. */
async function newOrg() {
  const org = `org-${orgs++}`;
  const get = async <T>(path: string) => {
    const token = await api.token({ email: `owner@${org}.org`, org });
    return (await api.call<T>("GET", path, { token })).body;
  };
  const { org_id: orgId } = await get<{ org_id: string }>("/v1/whoami");
  const ours = (day: number, type: string) => ({
    at: START + day * DAY,
    id: `evt_${org}_${day}_${type}`,
    customer: `cus_${org}`,
  });
  return {
    orgId,
    summary: () => get<Summary>("/v1/billing/summary"),
    audit: async () =>
      (await get<{ items: readonly Summary[] }>("/v1/audit")).items.filter(
        ({ action }) => action !== "member.sync",
      ),
    usage: () => get<{ limits: Summary; overage_billed: boolean }>("/v1/usage"),
    checkedOut: (day: number) => checkoutEvent({ ...ours(day, "checkout"), client_reference_id: orgId }),
    subscription: (day: number, more: Readonly<Record<string, unknown>> = {}) =>
      subscriptionEvent({
        ...ours(day, `${more.type} ${more.status} ${more.price}`),
        endsAt: CYCLE_END,
        metadata: { org_id: orgId },
        ...more,
      }),
  };
}

type Org = Awaited<ReturnType<typeof newOrg>>;

/** Checked out pro, went up to business, down to pro, and left at once. */
const storyOf = ({ checkedOut, subscription }: Org) => [
  subscription(0, { type: "created", status: "incomplete" }),
  subscription(0),
  checkedOut(0),
  subscription(3, { price: PRICES.business }),
  subscription(5),
  subscription(6, { status: "past_due" }),
];

describe("what Stripe says", () => {
  test("takes an org from free to pro, to business, down at the cycle's end, and to free", async () => {
    const org = await newOrg();
    const token = await api.token({ email: "owner@org-0.org", org: "org-0" });
    expect((await org.usage()).limits).toMatchObject({ plan: "free", monthly_event_allowance: 50_000 });

    const checkout = await api.call("POST", "/v1/billing/checkout-session", { token, body: { plan: "pro" } });
    expect(checkout.status).toBe(200);
    const asked = stripe.asked.at(-1)?.form ?? {};
    const metadata = { org_id: asked["subscription_data[metadata][org_id]"] };
    await deliver(org.subscription(0, { type: "created", status: "incomplete", metadata }));
    expect(await org.summary()).toMatchObject({ plan: "free", subscription_status: "incomplete" });
    await deliver(org.subscription(0, { metadata }));
    expect(asked.client_reference_id).toBe(org.orgId);
    await deliver(org.checkedOut(0));
    expect(await org.summary()).toMatchObject({
      plan: "pro",
      subscription_status: "active",
      current_period_end: iso(CYCLE_END),
      has_billing_account: true,
    });
    expect(await org.usage()).toMatchObject({
      limits: { plan: "pro", monthly_event_allowance: 1_000_000 },
      overage_billed: true,
    });

    goTo(START + 3 * DAY);
    await deliver(org.subscription(3, { price: PRICES.business }));
    expect(await org.summary()).toMatchObject({ plan: "business", next_plan: null });
    expect((await org.usage()).limits).toMatchObject({ plan: "business", retention_days: 90 });

    goTo(START + 5 * DAY);
    await deliver(org.subscription(5));
    const waiting = { next_plan: "pro", next_plan_at: iso(CYCLE_END) };
    expect(await org.summary()).toMatchObject({ plan: "business", ...waiting });
    goTo(CYCLE_END - DAY);
    expect((await org.usage()).limits).toMatchObject({ plan: "business" });
    goTo(CYCLE_END + 60_000);
    expect((await org.usage()).limits).toMatchObject({ plan: "pro" });
    await deliver(org.subscription(30, { endsAt: START + 60 * DAY }));
    expect(await org.summary()).toMatchObject({ plan: "pro", subscription_plan: "pro", next_plan: null });

    await deliver(org.subscription(31, { endsAt: START + 60 * DAY, cancel_at_period_end: true }));
    expect(await org.summary()).toMatchObject({ plan: "pro", next_plan: "free", cancel_at_period_end: true });
    goTo(START + 60 * DAY);
    await deliver(org.subscription(60, { type: "deleted", status: "canceled" }));
    expect(await org.summary()).toMatchObject({
      plan: "free",
      subscription_status: "canceled",
      next_plan: null,
    });
    expect((await org.usage()).limits).toMatchObject({ plan: "free" });
    goTo(START);
  });

  test("ends the same in any order and with any repetitions", async () => {
    const inOrder = await newOrg();
    for (const event of storyOf(inOrder)) expect((await deliver(event)).status).toBe(204);
    const expected = await inOrder.summary();
    expect(expected).toMatchObject({
      plan: "business",
      next_plan: "pro",
      next_plan_at: iso(CYCLE_END),
      subscription_status: "past_due",
    });
    for (const order of [
      [5, 4, 3, 2, 1, 0],
      [2, 5, 0, 3, 1, 4],
      [4, 4, 1, 0, 4, 2, 3, 5, 0, 3, 1, 2],
    ]) {
      const org = await newOrg();
      const story = storyOf(org);
      for (const index of order) expect((await deliver(story[index] ?? expect.fail())).status).toBe(204);
      expect(await org.summary()).toEqual(expected);
    }
  });

  test("ends the same when all of it comes at once", async () => {
    const org = await newOrg();
    const story = storyOf(org);
    const answers = await Promise.all([...story, ...story.toReversed()].map(deliver));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    expect(await org.summary()).toMatchObject({
      plan: "business",
      next_plan: "pro",
      subscription_status: "past_due",
    });
  });

  test.each([
    { status: "past_due", plan: "pro" },
    { status: "trialing", plan: "pro" },
    { status: "unpaid", plan: "free" },
    { status: "paused", plan: "free" },
    { status: "incomplete_expired", plan: "free" },
  ])("leaves an org whose subscription is $status on $plan", async ({ status, plan }) => {
    const org = await newOrg();
    await deliver(org.subscription(0));
    await deliver(org.subscription(1, { status }));
    expect(await org.summary()).toMatchObject({ plan, subscription_status: status });
  });

  test("never touches another org", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    const before = await other.summary();
    for (const event of storyOf(org)) await deliver(event);
    expect(await other.summary()).toEqual(before);
    expect(await other.audit()).toEqual([]);
  });

  test("is kept until a checkout identifies the customer's org", async () => {
    const org = await newOrg();
    expect((await deliver(org.subscription(0, { metadata: {} }))).status).toBe(204);
    expect(await org.summary()).toMatchObject({ plan: "free", has_billing_account: false });
    expect(api.logged()).toContain("a billing event names no known org");
    await deliver(org.checkedOut(0));
    expect(await org.summary()).toMatchObject({ plan: "pro", subscription_status: "active" });
    await deliver(org.subscription(1, { metadata: {}, price: PRICES.business }));
    expect(await org.summary()).toMatchObject({ plan: "business" });
  });

  test("of an org that there is not is taken and kept", async () => {
    const event = subscriptionEvent({
      at: START,
      id: "evt_nowhere",
      customer: "cus_nobody",
      endsAt: CYCLE_END,
    });
    for (const org_id of ["01890000-0000-7000-8000-00000000dead", "not an id"]) {
      event.data.object.metadata = { org_id };
      expect((await deliver({ ...event, id: `evt_${org_id}` })).status).toBe(204);
    }
  });

  test("of a plan's price and the meter's warns of nothing", async () => {
    const org = await newOrg();
    const event = org.subscription(0, {});
    const [planned] = event.data.object.items.data;
    event.data.object.items.data = [{ ...planned!, price: { id: "price_of_the_meter" } }, planned!];
    await deliver(event);
    expect(await org.summary()).toMatchObject({ plan: "pro" });
    expect(api.logged()).not.toContain("price_of_the_meter");
  });

  test("of a price that the settings do not name gives no plan until they do and it is said again", async () => {
    const org = await newOrg();
    const event = org.subscription(0, { price: "price_of_a_shirt" });
    await deliver(event);
    expect(await org.summary()).toMatchObject({ plan: "free", subscription_status: "active" });
    expect(api.logged()).toContain("price_of_a_shirt");
    settings.billing = { ...stripe.settings, prices: { ...PRICES, pro: "price_of_a_shirt" } };
    await api.restart();
    await deliver(event);
    expect(await org.summary()).toMatchObject({ plan: "pro" });
    settings.billing = stripe.settings;
    await api.restart();
  });
});

describe("a pinned plan", () => {
  test("wins over what Stripe says, which is in force again once it is unpinned", async () => {
    const org = await newOrg();
    const pin = (plan: string | null) =>
      api.call("PUT", `/v1/admin/orgs/${org.orgId}/plan-override`, { body: { plan } });
    await pin("enterprise");
    await deliver(org.subscription(0));
    expect(await org.summary()).toMatchObject({ plan: "enterprise", subscription_plan: "pro" });
    await deliver(org.subscription(1, { price: PRICES.business }));
    expect((await org.usage()).limits).toMatchObject({ plan: "enterprise" });
    await pin(null);
    expect((await org.usage()).limits).toMatchObject({ plan: "business" });
    await pin("free");
    await deliver(org.subscription(2, { type: "deleted", status: "canceled" }));
    await pin(null);
    expect(await org.summary()).toMatchObject({ plan: "free", subscription_status: "canceled" });
  });
});

describe("the audit trail", () => {
  test("has each change of the plan once, with what it was, in Stripe's name", async () => {
    const org = await newOrg();
    const story = storyOf(org);
    for (const event of [...story, ...story]) await deliver(event);
    const change = (diff: object) => ({
      action: "plan.change",
      actor: { id: "billing-provider", name: "Stripe", email: "" },
      target_type: "org",
      target_id: org.orgId,
      diff,
    });
    expect(await org.audit()).toMatchObject([
      change({ next_plan: { from: null, to: "pro" }, next_plan_at: { from: null, to: iso(CYCLE_END) } }),
      change({ subscription_plan: { from: "pro", to: "business" } }),
      change({ subscription_plan: { from: "free", to: "pro" } }),
    ]);
  });
});

describe("a delivery", () => {
  const event = () =>
    JSON.stringify({ id: "evt_x", object: "event", type: "invoice.paid", created: 1, data: {} });

  test("is read under both names of the header, and has no answer but 204", async () => {
    for (const name of ["Billing-Signature", "Stripe-Signature"]) {
      const { status, text } = await post(event(), { [name]: signStripe(event(), now()) });
      expect([status, text]).toEqual([204, ""]);
    }
  });

  test.each([
    { name: "no header", headers: () => ({}) },
    { name: "an empty header", headers: () => ({ "billing-signature": "" }) },
    { name: "another body", headers: () => ({ "billing-signature": signStripe(`${event()} `, now()) }) },
    {
      name: "another secret",
      headers: () => ({ "billing-signature": signStripe(event(), now(), "whsec_x") }),
    },
    {
      name: "an old signature",
      headers: () => ({ "billing-signature": signStripe(event(), now() - 302_000) }),
    },
    { name: "no signature at all", headers: () => ({ "billing-signature": "v1" }) },
  ])("with $name is refused with 401", async ({ headers }) => {
    const { status, body } = await post(event(), headers());
    expect([status, slugOf(body)]).toEqual([401, "invalid-signature"]);
  });

  test.each([
    { name: "text that is no JSON", body: "{" },
    { name: "a list", body: "[]" },
    {
      name: "an event of ours without its object",
      body: event().replace("invoice.paid", "checkout.session.completed"),
    },
    { name: "nesting without end", body: `${"[".repeat(60_000)}${"]".repeat(60_000)}` },
  ])("of $name is refused with 400, though signed", async ({ body }) => {
    const answer = await deliver(body);
    expect([answer.status, slugOf(answer.body)]).toEqual([400, "invalid-body"]);
  });

  test("of more than 256 KiB is refused with 413, and of another media type with 415", async () => {
    expect((await deliver(`"${"x".repeat(256 * 1024)}"`)).status).toBe(413);
    const signature = signStripe(event(), now());
    const other = await post(event(), { "billing-signature": signature, "content-type": "text/plain" });
    expect(other.status).toBe(415);
  });

  test("is refused with 401 where there is no billing", async () => {
    const bare = await openTestService();
    const answer = await post(event(), { "billing-signature": signStripe(event(), now()) }, bare);
    expect([answer.status, slugOf(answer.body)]).toEqual([401, "invalid-signature"]);
    await bare.stop();
  });

  test("puts no key and no secret into the log", () => {
    expect(api.logged()).not.toMatch(/sk_test_a_key|whsec_a_secret|v1=/);
  });

  test("that does not verify may be tried two hundred times at once, no more", async () => {
    const answers = await Promise.all(Array.from({ length: 250 }, () => post(event(), {})));
    const refused = answers.filter(({ status }) => status === 401);
    expect(refused.length).toBeLessThanOrEqual(200);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - refused.length);
  });
});
