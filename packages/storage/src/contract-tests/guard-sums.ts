import { randomUUID } from "node:crypto";
import { bucketOf } from "@assay/bucketing";
import {
  type BucketOwners,
  costOf,
  createGuardTally,
  type EventStore,
  GUARD_COLUMNS,
  GUARD_GROUPS,
  type GuardQuery,
  type GuardSums,
  priceFor,
  type StoredEvent,
  weightOfEvent,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sent, someExclusions } from "./reference-exclusions.ts";
import { someEvent } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;
const OWNERS: BucketOwners = { salt: "s", bucketCount: 100, ends: [30, 60, 100], variants: ["a", "", "b"] };
const REVENUE = { source: { event: "business_event", businessMetric: "revenue" }, acceptFrom: null } as const;
const OF_CALLS = (["cost_usd", "error", "latency_ms"] as const).map((field) => ({
  ...{
    source: { event: "model_call" as const, field },
    acceptFrom: ["publishable" as const, "import" as const],
  },
}));
const COLUMNS = [...GUARD_COLUMNS, "sum", "count"] as const;

/** Tests the sums that a guard watches. */
export function describeGuardSums(storeOf: () => EventStore, share = 1): void {
  const everything = (orgId: string): GuardQuery => ({
    ...wholeExperiment(orgId),
    ...{ receivedFrom: null, receivedUntil: T0 + 99 * HOUR_MS, occurredFrom: 0, owners: OWNERS },
    ...{ arms: ["a", "b"], metrics: [REVENUE], prices: PRICES },
  });
  /** Stores events and adds them up over the groups of each arm. */
  async function totalsOf(
    events: readonly Partial<StoredEvent>[],
    change: Partial<GuardQuery> = {},
  ): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
    const orgId = randomUUID();
    const all = events.map((event) => storedEvent({ orgId, ...event }));
    await storeOf().append(all);
    await storeOf().append(all);
    return totals(await storeOf().loadGuardSums({ ...everything(orgId), ...change }));
  }

  test("are those of the events, by arm: the variant that they name, else the owner of the user's bucket", async () => {
    const property = fc.asyncProperty(fc.array(someEvent, { maxLength: 60 }), async (events) => {
      expect(rounded(await totalsOf(events))).toEqual(rounded(reference(events)));
    });
    await fc.assert(property, { numRuns: Math.max(2, Math.round(20 * share)) });
  });

  test("are those of a tally of what each append has stored, group by group", async () => {
    const events = fc.array(someEvent, { minLength: 20, maxLength: 80 });
    const units = fc.constantFrom("user" as const, "conversation" as const);
    const property = fc.asyncProperty(events, someExclusions, units, async (some, exclusions, unit) => {
      const orgId = randomUUID();
      const query: GuardQuery = {
        ...{ ...everything(orgId), exclusions, unit, metrics: [REVENUE, ...OF_CALLS] },
        occurredFrom: T0 - 12 * HOUR_MS,
      };
      const all = sent(some).map((event, i) => {
        const userId = i % 7 === 0 ? `${event.userId} 語` : event.userId;
        const marked = i % 11 === 0 ? { markedTest: true } : i % 13 === 0 ? { ineligibleReason: "qa" } : {};
        return storedEvent({
          ...event,
          orgId,
          userId,
          unitId: `c${i % 9}`,
          finishReason: "LENGTH",
          ...marked,
        });
      });
      const tally = createGuardTally(query);
      for (const batch of [all.slice(0, 30), all, all.slice(10)])
        for (const event of await storeOf().append(batch)) tally.add(event);
      const found = groups(await storeOf().loadGuardSums(query));
      expect(groups(tally.sums)).toEqual(found);
    });
    await fc.assert(property, { numRuns: Math.max(3, Math.round(20 * share)) });
  });

  test("know the owner of every bucket", async () => {
    const users = Array.from({ length: 300 }, (_, i) => `user-${i} ü`);
    const events = users.map((userId) => ({ userId, type: "model_call", variant: null }) as const);
    const found = await totalsOf(events);
    const count = (arm: string) => users.filter((userId) => ownerOf(userId) === arm).length;
    expect(Object.fromEntries(Object.entries(found).map(([arm, { calls }]) => [arm, calls]))).toEqual({
      ...{ a: count("a"), b: count("b") },
    });
    expect(await totalsOf(events, { owners: null })).toEqual({});
    expect(Object.keys(await totalsOf(events, { arms: ["b", "c"] }))).toEqual(["b"]);
  });

  test("take nothing from calls of tools and ends of runs", async () => {
    const call = { type: "model_call", variant: "a", latencyMs: 7, error: true } as const;
    const found = await totalsOf([
      call,
      { ...call, type: "tool_call", latencyMs: 900 },
      { type: "run_end", variant: "a", runId: "r", completed: true },
    ]);
    expect(found.a).toMatchObject({ calls: 1, errors: 1, completed: 0, latencySum: 7, latencyCount: 1 });
  });

  test("are in groups by user, and of the time asked for", async () => {
    const orgId = randomUUID();
    const at = (hours: number, fields: Partial<StoredEvent> = {}) =>
      storedEvent({ orgId, variant: "a", type: "model_call", receivedAt: T0 + hours * HOUR_MS, ...fields });
    const users = Array.from({ length: 50 }, (_, i) => `u${i}`);
    await storeOf().append(
      users.flatMap((userId) => [at(1, { userId }), at(2, { userId }), at(3, { userId })]),
    );
    await storeOf().append([at(2, { userId: "u1", occurredAt: T0 - 1 }), at(2, { userId: "svc-test-1" })]);
    const asked = { receivedFrom: T0 + 2 * HOUR_MS, receivedUntil: T0 + 3 * HOUR_MS, occurredFrom: T0 };
    const sums = await storeOf().loadGuardSums({ ...everything(orgId), ...asked });
    const calls = sums.get("a")![GUARD_COLUMNS.indexOf("calls")]!;
    expect(calls).toHaveLength(GUARD_GROUPS);
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(50);
    const whole = (await storeOf().loadGuardSums(everything(orgId))).get("a")![1]!;
    expect(calls.filter((count) => count > 0).length).toBeGreaterThan(30);
    expect([...whole].map((count) => count > 0)).toEqual([...calls].map((count) => count > 0));
  });
}

/** Costs are sums of rounded products. */
const rounded = (arms: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
  JSON.parse(
    JSON.stringify(arms, (_, value) => (typeof value === "number" ? Number(value.toPrecision(9)) : value)),
  );

/** Returns the sums that are not 0, by arm, column and group. */
const groups = (sums: GuardSums) =>
  rounded(
    Object.fromEntries(
      [...sums].flatMap(([arm, columns]) =>
        columns.flatMap((column, i) =>
          [...column].flatMap((value, group) => (value === 0 ? [] : [[`${arm} ${i} ${group}`, { value }]])),
        ),
      ),
    ),
  );

function totals(sums: GuardSums) {
  return Object.fromEntries(
    [...sums].map(([arm, columns]) => [
      arm,
      Object.fromEntries(
        COLUMNS.map((column, i) => [column, columns[i]!.reduce((sum, value) => sum + value, 0)]),
      ),
    ]),
  );
}

const ownerOf = (userId: string) => {
  const bucket = bucketOf({ id: "exp", salt: OWNERS.salt, bucketCount: OWNERS.bucketCount }, userId);
  return OWNERS.variants[OWNERS.ends.findIndex((end) => bucket < end)]!;
};

/** Computes the same sums, one event at a time. */
function reference(events: readonly Partial<StoredEvent>[]) {
  const arms: Record<string, Record<string, number>> = {};
  for (const event of events.map((one) => storedEvent(one))) {
    const { type, userId, variant, value, businessMetric, samplingProbability } = event;
    const arm = variant || ownerOf(userId);
    const isIneligible = type === "exposure" && !variant;
    if (event.experimentId !== "exp" || userId.startsWith("svc-test-") || arm === "" || isIneligible)
      continue;
    arms[arm] ??= Object.fromEntries(COLUMNS.map((column) => [column, 0]));
    const add = (column: (typeof COLUMNS)[number], by: number | boolean | null | undefined) => {
      arms[arm]![column]! += Number(by ?? 0);
    };
    add("exposures", type === "exposure");
    if (type === "business_event" && businessMetric === "revenue") {
      const weight = weightOfEvent(samplingProbability ?? null);
      add("sum", value === null ? null : weight * value);
      add("count", value === null ? 0 : weight);
    }
    if (type !== "model_call") continue;
    const completed = !event.error;
    const price = priceFor(PRICES, event.model ?? "", event.serviceTier);
    const cost = event.costUsd ?? (price ? costOf(event, price) : null);
    add("calls", 1);
    add("errors", !completed);
    add("completed", completed);
    add("latencySum", event.latencyMs);
    add("latencyCount", event.latencyMs !== null);
    add("costSum", completed && cost);
    add("costCount", completed && cost !== null);
    add("missingUsage", completed && (event.inputTokens === null || event.outputTokens === null));
    add("truncated", completed && event.finishReason === "length");
  }
  return arms;
}
