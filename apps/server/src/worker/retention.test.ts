import { addDays, type Day, FREE_PLAN, type PlanState, type RetentionRule, startOfDay } from "@assay/domain";
import { pino } from "pino";
import { expect, test } from "vitest";
import { retentionRules, retentionTask } from "./retention.ts";

const TODAY = "2026-11-21" as Day;
const NOON = startOfDay(TODAY) + 12 * 3_600_000;
const pinned = (override: PlanState["override"]): PlanState => ({ ...FREE_PLAN, override });

test("each plan keeps its days whole, counted from the day of receipt", () => {
  const orgs = [
    { orgId: "a", state: FREE_PLAN },
    { orgId: "b", state: pinned("business") },
    { orgId: "c", state: FREE_PLAN },
    { orgId: "d", state: pinned("pro") },
    { orgId: "e", state: pinned("enterprise") },
  ];
  const from = (days: number) => startOfDay(addDays(TODAY, -days));
  expect(retentionRules(orgs, NOON)).toEqual([
    { orgIds: ["a", "c"], receivedBefore: from(7) },
    { orgIds: ["b"], receivedBefore: from(90) },
    { orgIds: ["d"], receivedBefore: from(30) },
    { orgIds: ["e"], receivedBefore: from(365) },
  ]);
});

test("a downgrade shortens retention when the billing cycle ends, not before", () => {
  const subscription = { plan: "business", next: { plan: "free", at: NOON } } as const;
  const orgs = [{ orgId: "a", state: { override: null, subscription } }];
  expect(retentionRules(orgs, NOON - 1)[0]?.receivedBefore).toBe(startOfDay(addDays(TODAY, -90)));
  expect(retentionRules(orgs, NOON)[0]?.receivedBefore).toBe(startOfDay(addDays(TODAY, -7)));
});

test("sweeps once a day, and again after a failure", async () => {
  let now = NOON;
  let isDown = true;
  const sweeps: (readonly RetentionRule[])[] = [];
  const expiries: unknown[] = [];
  const run = retentionTask({
    control: {
      plans: {
        get: async () => FREE_PLAN,
        list: async () => [{ orgId: "a", state: FREE_PLAN }],
        putOverride: async () => undefined,
        putSubscription: async () => undefined,
      },
      datasets: {
        async expire(retention, at) {
          expiries.push({ retention, at });
          return 1;
        },
      },
    },
    events: {
      async sweepRaw(rules) {
        if (isDown) throw new Error("down");
        sweeps.push(rules);
        return 3;
      },
    },
    clock: { now: () => now },
    log: pino({ level: "silent" }),
  });
  await expect(run()).rejects.toThrow("down");
  isDown = false;
  await run();
  await run();
  expect(sweeps).toHaveLength(1);
  now += 12 * 3_600_000;
  await run();
  expect(sweeps).toHaveLength(2);
  expect(expiries[1]).toEqual({ retention: [{ orgIds: ["a"], retentionDays: 7 }], at: now });
  expect(sweeps[1]?.[0]?.receivedBefore).toBe(startOfDay(addDays(TODAY, -6)));
});
