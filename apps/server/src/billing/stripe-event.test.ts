import { describe, expect, test } from "vitest";
import { checkoutEvent, subscriptionEvent } from "../test-support/stripe-api.ts";
import { readStripeEvent as read } from "./stripe-event.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const CYCLE_END = Date.parse("2026-12-21T12:00:00Z");
const ORG = "01890000-0000-7000-8000-000000000001";

describe("an event", () => {
  test("of a checkout identifies the customer's org", () => {
    const event = checkoutEvent({ at: NOW, id: "evt_1", metadata: { org_id: ORG } });
    expect(read(event)).toEqual({
      id: "evt_1",
      type: "checkout.session.completed",
      createdAt: NOW,
      customerId: "cus_1",
      orgId: ORG,
      subscription: null,
    });
  });

  test("of a subscription tells what it is", () => {
    const event = subscriptionEvent({ at: NOW, id: "evt_2", endsAt: CYCLE_END, metadata: { org_id: ORG } });
    expect(read(event)).toEqual({
      id: "evt_2",
      type: "customer.subscription.updated",
      createdAt: NOW,
      customerId: "cus_1",
      orgId: ORG,
      subscription: {
        id: "sub_1",
        status: "active",
        priceIds: ["price_pro"],
        cycleEndsAt: CYCLE_END,
        cancelsAtCycleEnd: false,
      },
    });
  });

  test.each([
    { name: "its reference", object: { client_reference_id: ORG, metadata: null }, orgId: ORG },
    {
      name: "its metadata before its reference",
      object: { client_reference_id: "x", metadata: { org_id: ORG } },
      orgId: ORG,
    },
    { name: "no org by a shop's reference", object: { client_reference_id: "order-12" }, orgId: null },
    { name: "no org by nothing", object: {}, orgId: null },
  ])("of a checkout names $name", ({ object, orgId }) => {
    expect(read(checkoutEvent({ at: NOW, ...object }))?.orgId).toBe(orgId);
  });

  const subscription = (more: Readonly<Record<string, unknown>>) =>
    read(subscriptionEvent({ at: NOW, endsAt: CYCLE_END, ...more }));
  const end = CYCLE_END / 1000;

  test.each([
    {
      name: "the cycle's end where older API versions tell it",
      more: { current_period_end: end, items: { data: [{ price: { id: "price_pro" } }] } },
      expected: { cycleEndsAt: CYCLE_END, priceIds: ["price_pro"] },
    },
    {
      name: "the last end of several items",
      more: {
        items: {
          data: [
            { price: "a", current_period_end: end },
            { price: { id: "b" }, current_period_end: end - 60 },
          ],
        },
      },
      expected: { cycleEndsAt: CYCLE_END, priceIds: ["a", "b"] },
    },
    {
      name: "a flagged cancellation",
      more: { cancel_at_period_end: true },
      expected: { cancelsAtCycleEnd: true },
    },
    {
      name: "a cancellation by its instant",
      more: { cancel_at: end },
      expected: { cancelsAtCycleEnd: true },
    },
    {
      name: "a cancellation of a later cycle",
      more: { cancel_at: end + 1 },
      expected: { cancelsAtCycleEnd: false },
    },
  ])("is read with $name", ({ more, expected }) => {
    expect(subscription(more)?.subscription).toMatchObject(expected);
  });

  test("is read with an expanded customer", () => {
    expect(subscription({ customer: { id: "cus_9", object: "customer" } })?.customerId).toBe("cus_9");
  });

  test.each([
    { name: "another type", event: { type: "invoice.paid", id: 7 } },
    {
      name: "another kind",
      event: { object: "v2.core.event", type: "v1.billing.meter.error_report_triggered" },
    },
    { name: "a checkout without a customer", event: checkoutEvent({ at: NOW, customer: null }) },
  ])("of $name is nothing", ({ event }) => {
    expect(read(event)).toBeNull();
  });

  test.each([
    { name: "null", event: null, pointer: "" },
    { name: "a list", event: [], pointer: "" },
    {
      name: "no subscription",
      event: { ...checkoutEvent({ at: NOW }), type: "customer.subscription.created" },
      pointer: "/data/object/id",
    },
    {
      name: "an unknown status",
      event: subscriptionEvent({ at: NOW, endsAt: NOW, status: "new" }),
      pointer: "/data/object/status",
    },
    {
      name: "no end of the cycle",
      event: subscriptionEvent({ at: NOW, endsAt: NOW, items: { data: [] } }),
      pointer: "",
    },
    { name: "no instant", event: { ...checkoutEvent({ at: NOW }), created: "now" }, pointer: "/created" },
  ])("of ours with $name is a fault of the body", ({ event, pointer }) => {
    const faults = expect.arrayContaining([expect.objectContaining({ pointer })]);
    expect(() => read(event)).toThrow(expect.objectContaining({ kind: "invalid-body", faults }));
  });
});
