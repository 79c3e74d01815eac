import { FREE_PLAN, PLANS, type PlanState, type SubscriptionPlan } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg } from "./fixtures.ts";

const LEAVING_BUSINESS: SubscriptionPlan = { plan: "business", next: { plan: "pro", at: NOW } };

export function planContract(engine: () => Engine): void {
  describe("plans", () => {
    storing(engine);
    listing(engine);
    racing(engine);
  });
}

function storing(engine: () => Engine): void {
  test("are free until another is stored, for their own org only", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    expect(await first.plans.get(orgId)).toEqual(FREE_PLAN);
    await first.plans.putSubscription(orgId, LEAVING_BUSINESS);
    expect(await second.plans.get(orgId)).toEqual({ override: null, subscription: LEAVING_BUSINESS });
    expect(await second.plans.get(other)).toEqual(FREE_PLAN);
  });

  test.each(PLANS)("keep %s as an override and as a subscription until they are replaced", async (plan) => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const state: PlanState = { override: plan, subscription: { plan, next: { plan, at: NOW } } };
    await first.plans.putOverride(orgId, plan);
    expect(await second.plans.get(orgId)).toEqual({ ...FREE_PLAN, override: plan });
    await first.plans.putSubscription(orgId, state.subscription);
    expect(await second.plans.get(orgId)).toEqual(state);
    await second.plans.putOverride(orgId, null);
    expect(await first.plans.get(orgId)).toEqual({ ...state, override: null });
    await second.plans.putSubscription(orgId, { plan, next: null });
    expect(await first.plans.get(orgId)).toEqual({ override: null, subscription: { plan, next: null } });
  });

  test("of an org that does not exist are refused", async () => {
    const [{ plans }] = engine().planes;
    await expect(plans.putOverride("no such org", "pro")).rejects.toThrow(/foreign key/i);
    await expect(plans.putSubscription("no such org", LEAVING_BUSINESS)).rejects.toThrow(/foreign key/i);
  });
}

function listing(engine: () => Engine): void {
  test("are listed for every org, stored or not", async () => {
    const [first, second] = engine().planes;
    const [silent, pinned, paying] = [await newOrg(first), await newOrg(first), await newOrg(first)];
    await first.plans.putOverride(pinned, "enterprise");
    await first.plans.putSubscription(paying, LEAVING_BUSINESS);
    const listed = await second.plans.list();
    const states = new Map(listed.map(({ orgId, state }) => [orgId, state]));
    expect(states.get(silent)).toEqual(FREE_PLAN);
    expect(states.get(pinned)).toEqual({ ...FREE_PLAN, override: "enterprise" });
    expect(states.get(paying)).toEqual({ override: null, subscription: LEAVING_BUSINESS });
    const orgIds = (await second.orgs.list()).map(({ id }) => id);
    expect(listed.map(({ orgId }) => orgId).filter((id) => orgIds.includes(id))).toEqual(orgIds);
  });
}

function racing(engine: () => Engine): void {
  test("keep override and subscription when both are written at once", async () => {
    const [first, second] = engine().planes;
    for (let round = 0; round < 10; round++) {
      const orgId = await newOrg(first);
      const writes = [
        () => first.plans.putOverride(orgId, "enterprise"),
        () => second.plans.putSubscription(orgId, LEAVING_BUSINESS),
      ];
      await Promise.all((round % 2 === 0 ? writes : writes.toReversed()).map((write) => write()));
      expect(await first.plans.get(orgId)).toEqual({
        override: "enterprise",
        subscription: LEAVING_BUSINESS,
      });
    }
  });

  test("keep a subscription that is written while a transaction sets an override", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    let subscribing: Promise<void> | undefined;
    await first.transaction(async ({ plans }) => {
      await plans.putOverride(orgId, "enterprise");
      subscribing = second.plans.putSubscription(orgId, LEAVING_BUSINESS);
    });
    await subscribing;
    expect(await first.plans.get(orgId)).toEqual({ override: "enterprise", subscription: LEAVING_BUSINESS });
  });
}
