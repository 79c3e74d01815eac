import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, changeOrder, endOfMonth, monthOf, type Plan, startOfMonth } from "@assay/domain";
import { openSqliteControlPlane } from "@assay/storage";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { METER, openStripeApi, PRICES, type StripeApi } from "../test-support/stripe-api.ts";
import { reportOverage } from "./report-overage.ts";
import { stripeBilling } from "./stripe-billing.ts";

const ALLOWANCE = 1_000_000;
const NOW = Date.parse("2026-11-20T12:00:00Z");
const NOVEMBER = monthOf(NOW);
const DECEMBER = monthOf(endOfMonth(NOVEMBER));

let root: string;
let control: ControlPlane;
let stripe: StripeApi;
let orgId: string;
let isEnforced: boolean;
let now: number;
beforeEach(async () => {
  [isEnforced, now] = [true, NOW];
  root = mkdtempSync(join(tmpdir(), "assay-overage-"));
  control = openSqliteControlPlane({ file: join(root, "control.sqlite"), newId: randomUUID });
  await control.migrate();
  stripe = await openStripeApi();
  const member = { externalUserId: "u", externalOrgId: "o", role: "owner", isRemoved: false } as const;
  await control.people.putMembership({ ...member, order: changeOrder(1, "token") }, 1);
  orgId = (await control.orgs.list())[0]?.id ?? expect.fail();
  await pin("pro");
});
afterEach(async () => {
  await control.close();
  await stripe.close();
  rmSync(root, { recursive: true, force: true });
});

const pin = (plan: Plan) => control.plans.putOverride(orgId, plan);
const subscribe = (status: "active" | "canceled" = "active") =>
  control.billing.record({
    ...{ id: `evt_${status}`, type: "customer.subscription.updated", customerId: "cus_1", orgId },
    createdAt: status === "active" ? 1 : 2,
    subscription: {
      ...{ id: "sub_1", status, priceIds: [PRICES.pro] },
      cycleEndsAt: NOW + 1,
      cancelsAtCycleEnd: false,
    },
  });
const subscribeTo = (price: string, createdAt: number) =>
  control.billing.record({
    ...{ id: `evt_${price}`, type: "customer.subscription.updated", customerId: "cus_1", orgId, createdAt },
    subscription: {
      ...{ id: "sub_1", status: "active", priceIds: [price], cycleEndsAt: NOW - 1, cancelsAtCycleEnd: false },
    },
  });
const use = (events: number, month = NOVEMBER) => control.usage.putEvents({ orgId, month, events });
const run = (meter: string | null = METER) => {
  const clock = { now: () => now };
  const plans = createOrgPlans({ control, clock, changes: noChanges }, isEnforced);
  const billing = stripeBilling({ ...stripe.settings, meter }, clock);
  return reportOverage({ control, plans, clock, log: pino({ level: "silent" }), billing });
};

test("what is used beyond the allowance is reported once, and later what came since", async () => {
  await subscribe();
  await use(ALLOWANCE);
  await run();
  expect(stripe.metered()).toEqual({});
  await use(ALLOWANCE + 7);
  await run();
  await run();
  expect(stripe.metered()).toEqual({ cus_1: 7 });
  await use(ALLOWANCE + 10);
  await run();
  expect(stripe.metered()).toEqual({ cus_1: 10 });
});

test("a report whose answer is lost is repeated as it was and counts once", async () => {
  await subscribe();
  await use(ALLOWANCE + 7);
  stripe.fail("reset", "reset");
  await run();
  expect(await control.billing.getMetered(orgId, NOVEMBER)).toEqual({ reported: 0, pending: 7 });
  // It had arrived after all.
  await control.billing.putMetered(orgId, NOVEMBER, { reported: 0, pending: 0 });
  await run();
  await control.billing.putMetered(orgId, NOVEMBER, { reported: 0, pending: 7 });
  await use(ALLOWANCE + 9);
  await run();
  expect(stripe.metered()).toEqual({ cus_1: 7 });
  await run();
  expect(stripe.metered()).toEqual({ cus_1: 9 });
});

test("on the first of a month the month before is completed, at an instant within it", async () => {
  await subscribe();
  const december = startOfMonth(DECEMBER);
  now = december + 3_600_000;
  await use(ALLOWANCE + 3);
  await use(ALLOWANCE + 4, DECEMBER);
  await run();
  const sent = stripe.asked.map(({ form }) => [form.timestamp, form["payload[value]"]]);
  expect(sent).toEqual([
    [String(december / 1000 - 1), "3"],
    [String(now / 1000), "4"],
  ]);
});

test("what a larger plan allowed earlier in the month is no overage after a downgrade", async () => {
  await control.plans.putOverride(orgId, null);
  await control.plans.putSubscription(orgId, { plan: "pro", next: null });
  await subscribeTo(PRICES.business, 1);
  await subscribeTo(PRICES.pro, NOW - 3_600_000);
  await use(5 * ALLOWANCE);
  await run();
  now = startOfMonth(DECEMBER) + 3_600_000;
  await run();
  expect(stripe.metered()).toEqual({});
  await use(ALLOWANCE + 4, DECEMBER);
  await run();
  expect(stripe.metered()).toEqual({ cus_1: 4 });
});

describe("nothing is reported", () => {
  test.each<{ name: string; arrange: () => unknown; meter?: null }>([
    { name: "without a meter", arrange: () => {}, meter: null },
    {
      name: "of a plan that refuses overage",
      arrange: () => pin("free"),
    },
    {
      name: "of a plan without a bound",
      arrange: () => pin("enterprise"),
    },
    {
      name: "where plan limits are not applied",
      arrange: () => {
        isEnforced = false;
      },
    },
    { name: "of a subscription that ended", arrange: () => subscribe("canceled") },
  ])("$name", async ({ arrange, meter }) => {
    await subscribe();
    await use(ALLOWANCE + 7);
    await arrange();
    await run(meter);
    expect(stripe.asked).toEqual([]);
  });

  test("of an org that never checked out", async () => {
    await use(ALLOWANCE + 7);
    await run();
    expect(stripe.asked).toEqual([]);
  });
});
