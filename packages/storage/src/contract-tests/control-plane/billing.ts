import { randomUUID } from "node:crypto";
import type { BillingEvent, SubscriptionSnapshot } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { FEBRUARY, JANUARY, NOW, newOrg } from "./fixtures.ts";

export function billingContract(engine: () => Engine): void {
  describe("billing events", () => {
    recording(engine);
    checkoutsAndOverage(engine);
    naming(engine);
  });
}

const SNAPSHOT: SubscriptionSnapshot = {
  id: "sub_1",
  status: "past_due",
  priceIds: ["price_1", "price_2"],
  cycleEndsAt: NOW + 1,
  cancelsAtCycleEnd: true,
};

const eventOf = (customerId: string, overrides: Partial<BillingEvent> = {}): BillingEvent => ({
  id: `evt_${randomUUID()}`,
  type: "customer.subscription.updated",
  createdAt: NOW,
  customerId,
  orgId: null,
  subscription: SNAPSHOT,
  ...overrides,
});

const newCustomer = () => `cus_${randomUUID()}`;

function recording(engine: () => Engine): void {
  test("are stored once, as first received, even if another process receives them again", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const event = eventOf(newCustomer(), { orgId });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => planes[i % 2]!.billing.record({ ...event, createdAt: NOW + i })),
    );
    expect(answers.filter((isNew) => isNew)).toHaveLength(1);
    const stored = await planes[1].billing.listEvents(orgId);
    expect(stored).toEqual([{ ...event, createdAt: NOW + answers.indexOf(true) }]);
  });

  test("that were rolled back can be stored again", async () => {
    const [plane] = engine().planes;
    const event = eventOf(newCustomer(), { orgId: await newOrg(plane) });
    const failing = plane.transaction(async ({ billing }) => {
      await billing.record(event);
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    expect(await plane.billing.record(event)).toBe(true);
  });
}

function checkoutsAndOverage(engine: () => Engine): void {
  test("stand beside the org's last checkout", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    expect(await first.billing.findCheckout(orgId)).toBeNull();
    await first.billing.putCheckout(orgId, "cs_1");
    await second.billing.putCheckout(orgId, "cs_2");
    expect(await first.billing.findCheckout(orgId)).toBe("cs_2");
    expect(await first.billing.findCheckout(other)).toBeNull();
  });

  test("stand beside the overage that was reported, by org and month", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const none = { reported: 0, pending: 0 };
    expect(await first.billing.getMetered(orgId, JANUARY)).toEqual(none);
    await first.billing.putMetered(orgId, JANUARY, { reported: 0, pending: 3_000_000_000 });
    await second.billing.putMetered(orgId, JANUARY, { reported: 3_000_000_000, pending: 3_000_000_000 });
    expect(await first.billing.getMetered(orgId, JANUARY)).toEqual({
      reported: 3_000_000_000,
      pending: 3_000_000_000,
    });
    expect(await first.billing.getMetered(orgId, FEBRUARY)).toEqual(none);
    expect(await first.billing.getMetered(other, JANUARY)).toEqual(none);
  });
}

function naming(engine: () => Engine): void {
  test("for a subscription and its customer at once are both visible to the later transaction", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    for (let round = 0; round < 20; round++) {
      const customer = newCustomer();
      const events = [eventOf(customer), eventOf(customer, { orgId, subscription: null })];
      const seen = await Promise.all(
        events.map((event, i) =>
          planes[i]!.transaction(async ({ billing }) => {
            await billing.record(event);
            const org = await billing.findOrgId(customer);
            return org === null
              ? []
              : (await billing.listEvents(org)).filter((one) => one.customerId === customer);
          }),
        ),
      );
      expect(Math.max(...seen.map((list) => list.length))).toBe(2);
    }
  });

  test("are listed for the org that any event of their customer names, earlier events included", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const [customer, another, stranger] = [newCustomer(), newCustomer(), newCustomer()];
    const early = eventOf(customer, { createdAt: NOW - 1 });
    const checkout = eventOf(customer, { orgId, type: "checkout.session.completed", subscription: null });
    const later = eventOf(another, { orgId, createdAt: NOW + 1 });
    await first.billing.record(early);
    expect(await second.billing.findOrgId(customer)).toBeNull();
    expect(await second.billing.listEvents(orgId)).toEqual([]);
    for (const event of [later, checkout, eventOf(stranger, { orgId: other }), eventOf(newCustomer())])
      await first.billing.record(event);
    expect(await second.billing.findOrgId(customer)).toBe(orgId);
    expect(await second.billing.findOrgId(stranger)).toBe(other);
    expect(await second.billing.listEvents(orgId)).toEqual([early, checkout, later]);
  });

  test("take a customer's org from the latest event", async () => {
    const [{ billing }, second] = engine().planes;
    const [orgId, other] = [await newOrg(second), await newOrg(second)];
    const customer = newCustomer();
    await billing.record(eventOf(customer, { orgId, createdAt: NOW + 1 }));
    await billing.record(eventOf(customer, { orgId: other }));
    await billing.record(eventOf(customer, { createdAt: NOW + 2 }));
    expect(await billing.findOrgId(customer)).toBe(orgId);
  });

  test("of an org that does not exist are refused", async () => {
    const [{ billing }] = engine().planes;
    const failing = billing.record(eventOf(newCustomer(), { orgId: "no such org" }));
    await expect(failing).rejects.toThrow(/foreign key/i);
  });
}
