import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../plan/plan.ts";
import {
  BILLING_EVENT_TYPES,
  type BillingEvent,
  type BillingEventType,
  largestPlanWithin,
  SUBSCRIPTION_STATUSES,
  type SubscriptionSnapshot,
  type SubscriptionStatus,
  subscriptionOf,
} from "./subscription-of.ts";

const DAY = 86_400_000;
const START = Date.parse("2026-11-01T12:00:00Z");
/** A day, counted from the start of the first billing cycle. */
const day = (days: number) => START + days * DAY;
const CYCLE_END = day(30);

const PRICES: Readonly<Record<string, Plan>> = { "price-pro": "pro", "price-business": "business" };
const planOfPrice = (id: string) => PRICES[id] ?? null;
const fold = (...events: readonly BillingEvent[]) => subscriptionOf(events, planOfPrice);

interface Said extends Partial<SubscriptionSnapshot> {
  readonly type?: "created" | "updated" | "deleted";
  readonly event?: string;
  readonly customer?: string;
  readonly price?: string;
}

/** A provider's event about a subscription: active on pro by default. */
function said(
  at: number,
  { type = "updated", event, customer = "cus-1", price = "pro", ...rest }: Said = {},
) {
  const snapshot: SubscriptionSnapshot = {
    id: "sub-1",
    status: "active",
    priceIds: [`price-${price}`],
    cycleEndsAt: CYCLE_END,
    cancelsAtCycleEnd: false,
    ...rest,
  };
  return {
    id: event ?? `evt-${at}-${type}-${snapshot.id}-${snapshot.status}-${price}`,
    type: `customer.subscription.${type}`,
    createdAt: at,
    customerId: customer,
    orgId: null,
    subscription: snapshot,
  } satisfies BillingEvent;
}

function checkedOut(at: number, customerId = "cus-1"): BillingEvent {
  const type = "checkout.session.completed";
  return { id: `evt-${at}-checkout`, type, createdAt: at, customerId, orgId: "an org", subscription: null };
}

const FREE = { plan: "free", next: null };

describe("an org's subscription", () => {
  test("is none, on free, without events", () => {
    expect(fold()).toEqual({
      customerId: null,
      status: null,
      cycleEndsAt: null,
      cancelsAtCycleEnd: false,
      liveCount: 0,
      plan: FREE,
    });
  });

  test("is still none after only a checkout, which tells only the customer", () => {
    expect(fold(checkedOut(day(0)))).toMatchObject({
      customerId: "cus-1",
      status: null,
      liveCount: 0,
      plan: FREE,
    });
  });

  test("reflects the last event", () => {
    const events = [
      checkedOut(day(0)),
      said(day(0), { type: "created", status: "incomplete" }),
      said(day(0) + 1000),
    ];
    expect(fold(...events)).toEqual({
      customerId: "cus-1",
      status: "active",
      cycleEndsAt: CYCLE_END,
      cancelsAtCycleEnd: false,
      liveCount: 1,
      plan: { plan: "pro", next: null },
    });
  });

  test.each<{ status: SubscriptionStatus; plan: Plan; liveCount: number }>([
    { status: "active", plan: "pro", liveCount: 1 },
    { status: "trialing", plan: "pro", liveCount: 1 },
    { status: "past_due", plan: "pro", liveCount: 1 },
    { status: "unpaid", plan: "free", liveCount: 1 },
    { status: "paused", plan: "free", liveCount: 1 },
    { status: "incomplete", plan: "free", liveCount: 0 },
    { status: "incomplete_expired", plan: "free", liveCount: 0 },
    { status: "canceled", plan: "free", liveCount: 0 },
  ])("that is $status has the plan $plan at once", ({ status, plan, liveCount }) => {
    const answer = fold(said(day(0)), said(day(1), { status }));
    expect(answer).toMatchObject({ status, liveCount, plan: { plan, next: null } });
  });

  test("that was fixed has its plan again", () => {
    expect(fold(said(day(0)), said(day(1), { status: "unpaid" }), said(day(2))).plan.plan).toBe("pro");
  });

  test.each([
    { name: "a price we do not know is no plan", priceIds: ["price-other"], plan: "free" },
    { name: "no price is no plan", priceIds: [], plan: "free" },
    {
      name: "the highest of several prices counts",
      priceIds: ["price-pro", "price-business", "x"],
      plan: "business",
    },
  ])("$name", ({ priceIds, plan }) => {
    expect(fold(said(day(0), { priceIds })).plan).toEqual({ plan, next: null });
  });
});

describe("a change of price", () => {
  const business = said(day(0), { type: "created", price: "business" });

  test("to a higher plan is in force at once", () => {
    expect(fold(said(day(0)), said(day(3), { price: "business" })).plan).toEqual({
      plan: "business",
      next: null,
    });
  });

  test("to a lower plan waits for the end of the cycle, whatever events come in between", () => {
    const waiting = { plan: "business", next: { plan: "pro", at: CYCLE_END } };
    expect(fold(business, said(day(3))).plan).toEqual(waiting);
    expect(fold(business, said(day(3)), said(day(4)), said(day(5))).plan).toEqual(waiting);
  });

  test("to a lower plan at the renewal is in force at once: the new cycle is paid at its price", () => {
    expect(fold(business, said(CYCLE_END, { cycleEndsAt: day(60) })).plan).toEqual({
      plan: "pro",
      next: null,
    });
  });

  test("to a lower plan that begins another cycle waits for the end of the cycle that was paid for", () => {
    const yearly = { cycleEndsAt: day(365) };
    const { plan } = fold(business, said(day(3), yearly), said(day(4), yearly));
    expect(plan).toEqual({ plan: "business", next: { plan: "pro", at: CYCLE_END } });
  });

  test("back to the higher plan drops the downgrade", () => {
    const { plan } = fold(business, said(day(3)), said(day(4), { price: "business" }));
    expect(plan).toEqual({ plan: "business", next: null });
  });
});

describe("a cancellation", () => {
  const cancelsAtCycleEnd = true;
  const leaving = { plan: "pro", next: { plan: "free", at: CYCLE_END } };

  test("at the end of the cycle keeps the plan until then", () => {
    const answer = fold(said(day(0)), said(day(3), { cancelsAtCycleEnd }));
    expect(answer).toMatchObject({ cancelsAtCycleEnd, liveCount: 1, plan: leaving });
  });

  test("that comes with the first event also keeps the plan until then", () => {
    expect(fold(said(day(0), { cancelsAtCycleEnd })).plan).toEqual(leaving);
  });

  test("that is withdrawn leaves no trace", () => {
    const { plan } = fold(said(day(0)), said(day(3), { cancelsAtCycleEnd }), said(day(4)));
    expect(plan).toEqual({ plan: "pro", next: null });
  });

  test("after a downgrade ends at free, not at the lower plan", () => {
    const { plan } = fold(
      said(day(0), { price: "business" }),
      said(day(3)),
      said(day(4), { cancelsAtCycleEnd }),
    );
    expect(plan).toEqual({ plan: "business", next: { plan: "free", at: CYCLE_END } });
  });

  test("of a later cycle leaves the downgrade that comes first", () => {
    const yearly = { cycleEndsAt: day(365) };
    const { plan } = fold(
      said(day(0), { price: "business" }),
      said(day(3), yearly),
      said(day(4), { ...yearly, cancelsAtCycleEnd }),
    );
    expect(plan).toEqual({ plan: "business", next: { plan: "pro", at: CYCLE_END } });
  });

  test("at once is free at once", () => {
    const answer = fold(said(day(0)), said(day(3), { type: "deleted", status: "canceled" }));
    expect(answer).toMatchObject({ status: "canceled", customerId: "cus-1", liveCount: 0, plan: FREE });
  });
});

describe("of events in the same second", () => {
  const at = day(0);

  test.each([
    {
      name: "the end counts after a change",
      last: said(at, { type: "deleted", status: "canceled", event: "a" }),
      first: said(at, { event: "b" }),
    },
    {
      name: "a change counts after the beginning",
      last: said(at, { event: "a" }),
      first: said(at, { type: "created", event: "b", price: "business" }),
    },
    {
      name: "an active state counts after an incomplete one",
      last: said(at, { event: "a" }),
      first: said(at, { event: "b", status: "incomplete" }),
    },
    {
      name: "an ended state counts after an incomplete one",
      last: said(at, { event: "a", status: "incomplete_expired" }),
      first: said(at, { event: "b", status: "incomplete" }),
    },
    {
      name: "the greater id counts if nothing else decides",
      last: said(at, { event: "b", status: "past_due" }),
      first: said(at, { event: "a" }),
    },
  ])("$name", ({ first, last }) => {
    const { status } = last.subscription;
    expect(fold(first, last).status).toBe(status);
    expect(fold(last, first)).toEqual(fold(first, last));
  });

  test("the order of delivery does not count without a subscription either", () => {
    const [first, last] = [
      { ...checkedOut(at, "cus-1"), id: "a" },
      { ...checkedOut(at, "cus-2"), id: "b" },
    ];
    expect(fold(last, first)).toEqual(fold(first, last));
  });
});

describe("of several subscriptions", () => {
  const ended = { status: "canceled", type: "deleted" } as const;
  const one = (at: number, more: Said = {}) => said(at, { id: "sub-1", customer: "cus-1", ...more });
  const two = (at: number, more: Said = {}) => said(at, { id: "sub-2", customer: "cus-2", ...more });

  test.each([
    {
      name: "the live one counts, though the other ended later",
      events: [one(day(0)), two(day(1), ended)],
      is: "cus-1",
    },
    {
      name: "the live one counts, though the other was ended before",
      events: [two(day(0), ended), one(day(1))],
      is: "cus-1",
    },
    {
      name: "the higher plan counts",
      events: [one(day(0), { price: "business" }), two(day(1))],
      is: "cus-1",
    },
    {
      name: "the higher plan counts, later too",
      events: [two(day(0)), one(day(1), { price: "business" })],
      is: "cus-1",
    },
    {
      name: "on equal plans the one with the latest event counts",
      events: [one(day(0)), two(day(1)), one(day(2))],
      is: "cus-1",
    },
    { name: "the one that ended last counts", events: [two(day(0), ended), one(day(1), ended)], is: "cus-1" },
  ])("$name", ({ events, is }) => {
    expect(fold(...events).customerId).toBe(is);
    expect(fold(...events.toReversed())).toEqual(fold(...events));
  });

  test("a new one starts afresh, without what the ended one left", () => {
    const { plan } = fold(one(day(0), { price: "business" }), one(day(1), ended), two(day(2)));
    expect(plan).toEqual({ plan: "pro", next: null });
  });
});

/** Any events that the provider may send, often in the same second. */
const anyEvents: fc.Arbitrary<readonly BillingEvent[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.integer({ min: 0, max: 99 }).map((id) => `evt-${id}`),
      type: fc.constantFrom<BillingEventType>(...BILLING_EVENT_TYPES),
      createdAt: fc.integer({ min: 0, max: 12 }).map((half) => day(half * 5)),
      customerId: fc.constantFrom("cus-1", "cus-2"),
      subscription: fc.record({
        id: fc.constantFrom("sub-1", "sub-2"),
        status: fc.constantFrom(...SUBSCRIPTION_STATUSES),
        priceIds: fc.array(fc.constantFrom("price-pro", "price-business", "price-other"), { maxLength: 2 }),
        cycleEndsAt: fc.constantFrom(day(30), day(60)),
        cancelsAtCycleEnd: fc.boolean(),
      }),
    })
    .map(({ subscription, ...event }) => ({
      ...event,
      orgId: null,
      subscription: event.type === "checkout.session.completed" ? null : subscription,
    })),
  { selector: ({ id }) => id, maxLength: 12 },
);

describe("the answer", () => {
  test("is the same in any order and with any repetitions", () => {
    const delivered = anyEvents.chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray([...events], { minLength: events.length }),
        fc.array(fc.nat({ max: 11 }), { maxLength: 8 }),
      ),
    );
    fc.assert(
      fc.property(delivered, ([events, shuffled, again]) => {
        const repeated = again.flatMap((index) => events[index] ?? []);
        expect(fold(...shuffled, ...repeated)).toEqual(fold(...events));
        expect(fold(...repeated, ...shuffled)).toEqual(fold(...events));
      }),
      { numRuns: 500 },
    );
  });

  test("is free at once when every subscription has ended, whatever came before", () => {
    const ends = ["sub-1", "sub-2"].map((id) => said(day(61), { id, type: "deleted", status: "canceled" }));
    fc.assert(
      fc.property(anyEvents, (events) => {
        expect(fold(...ends, ...events)).toMatchObject({ status: "canceled", liveCount: 0, plan: FREE });
      }),
    );
  });
});

describe("of two events in one second, the later state of the subscription counts", () => {
  const started = ["active", "trialing", "past_due", "unpaid", "paused"] as const;
  const ended = ["canceled", "incomplete_expired"] as const;
  const pairs = [
    ...started.map((status) => ["incomplete", status] as const),
    ...started.flatMap((status) => ended.map((end) => [status, end] as const)),
    ...ended.map((end) => ["incomplete", end] as const),
  ];

  test.each(pairs)("%s, then %s", (earlier, later) => {
    for (const [first, second] of [
      ["evt-a", "evt-b"],
      ["evt-b", "evt-a"],
    ] as const) {
      const events = [
        said(START, { status: earlier, event: first }),
        said(START, { status: later, event: second }),
      ];
      expect(fold(...events).status).toBe(later);
    }
  });
});

describe("the largest plan within a month", () => {
  const leftBusiness = [
    said(day(0), { price: "business", type: "created" }),
    said(day(20), { price: "pro" }),
    said(CYCLE_END, { price: "pro", cycleEndsAt: day(60) }),
  ];
  test.each([
    { name: "before all events", from: day(-30), to: day(0), plan: "free" },
    { name: "in which it began", from: day(-15), to: day(15), plan: "business" },
    { name: "in which it ended", from: day(15), to: day(45), plan: "business" },
    { name: "that ended with it", from: day(0), to: CYCLE_END, plan: "business" },
    { name: "that began with its end", from: CYCLE_END, to: day(60), plan: "pro" },
  ])("$name", ({ from, to, plan }) => {
    expect(largestPlanWithin(leftBusiness, planOfPrice, { from, to })).toBe(plan);
  });
});
