import { bucketOf, murmur3 } from "@assay/bucketing";
import { describe, expect, test } from "vitest";
import type { StoredEvent } from "../event/event.ts";
import { NO_VALUES } from "../event/to-stored-event.ts";
import { GUARD_COLUMNS, GUARD_GROUPS, type GuardSelection, type GuardSums } from "../ports/guard-sums.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";
import { createGuardTally } from "./guard-tally.ts";

const AT = Date.UTC(2026, 2, 10);
const OWNERS = { salt: "s", bucketCount: 100, ends: [30, 60, 100], variants: ["a", "", "b"] };
const selection: GuardSelection = {
  ...{ orgId: "org", experimentId: "exp", unit: "user", exclusions: [], occurredFrom: AT },
  ...{ arms: ["a", "b"], owners: OWNERS, metrics: [], prices: [] },
};
const eventOf = (fields: Partial<StoredEvent>): StoredEvent => ({
  ...{ orgId: "org", experimentId: "exp", eventId: "e", type: "model_call", userId: "ann" },
  ...{ occurredAt: AT, receivedAt: AT, ...NO_VALUES, variant: "a", ...fields },
});

/** What is not 0, by arm and column: each event of `ann`, so in her group. */
function totals(sums: GuardSums) {
  return Object.fromEntries(
    [...sums].map(([arm, columns]) => [
      arm,
      Object.fromEntries(
        columns.flatMap((column, i) => {
          const total = column.reduce((sum, value) => sum + value);
          return total === 0 ? [] : [[GUARD_COLUMNS[i] ?? `m${i - GUARD_COLUMNS.length}`, total]];
        }),
      ),
    ]),
  );
}

function tallyOf(events: readonly Partial<StoredEvent>[], change: Partial<GuardSelection> = {}) {
  const tally = createGuardTally({ ...selection, ...change });
  for (const event of events) tally.add(eventOf(event));
  return totals(tally.sums);
}

describe("what an event adds", () => {
  const completed = { calls: 1, completed: 1, missingUsage: 1 };
  test.each<{ what: string; event: Partial<StoredEvent>; adds: object }>([
    { what: "an exposure", event: { type: "exposure" }, adds: { exposures: 1 } },
    { what: "a call", event: {}, adds: completed },
    {
      what: "a call with usage",
      event: { inputTokens: 0, outputTokens: 0 },
      adds: { calls: 1, completed: 1 },
    },
    { what: "a call with half of its usage", event: { inputTokens: 7 }, adds: completed },
    { what: "a call without errors", event: { error: false }, adds: completed },
    {
      what: "a failed call",
      event: { error: true, latencyMs: 7, costUsd: 2, finishReason: "length" },
      adds: { calls: 1, errors: 1, latencySum: 7, latencyCount: 1 },
    },
    {
      what: "a call with its cost and latency",
      event: { latencyMs: 7, costUsd: 2 },
      adds: { ...completed, latencySum: 7, latencyCount: 1, costSum: 2, costCount: 1 },
    },
    { what: "a free call", event: { costUsd: 0 }, adds: { ...completed, costCount: 1 } },
    {
      what: "an answer cut short",
      event: { finishReason: "MAX_TOKENS" },
      adds: { ...completed, truncated: 1 },
    },
    { what: "a whole answer", event: { finishReason: "stop" }, adds: completed },
    { what: "a call of a tool", event: { type: "tool_call", latencyMs: 9, error: true }, adds: {} },
    { what: "an outcome", event: { type: "business_event", businessMetric: "x", value: 3 }, adds: {} },
  ])("$what", ({ event, adds }) => {
    expect(tallyOf([event])).toEqual({ a: adds });
  });

  test("goes to the group of its user", () => {
    const tally = createGuardTally(selection);
    for (const userId of ["ann", "ann", "bob 語"]) tally.add(eventOf({ userId }));
    const calls = tally.sums.get("a")![GUARD_COLUMNS.indexOf("calls")]!;
    expect(calls[murmur3("ann", 0) % GUARD_GROUPS]).toBe(2);
    expect(calls[murmur3("bob 語", 0) % GUARD_GROUPS]).toBe(1);
  });

  test("a call without a cost is priced by its model, unless its usage is unknown", () => {
    const price: ModelPrice = {
      ...{
        model: "gpt",
        effectiveFrom: "2026-01-01" as Day,
        inputUsdPerMillion: 2e6,
        outputUsdPerMillion: 0,
      },
      ...{ cachedInputUsdPerMillion: null, cacheWrite5mUsdPerMillion: null, cacheWrite1hUsdPerMillion: null },
      ...{ audioInputUsdPerMillion: null, reasoningUsdPerMillion: null, audioOutputUsdPerMillion: null },
    };
    const usage = { inputTokens: 3, outputTokens: 1 };
    const costs = [{ model: "gpt", ...usage }, { model: "gpt" }, { model: "other", ...usage }, usage];
    expect(tallyOf(costs, { prices: [price] }).a).toMatchObject({ calls: 4, costSum: 6, costCount: 1 });
  });
});

describe("what counts", () => {
  test.each<{ what: string; event: Partial<StoredEvent>; change?: Partial<GuardSelection> }>([
    { what: "another org's", event: { orgId: "other" } },
    { what: "another experiment's", event: { experimentId: "other" } },
    { what: "what occurred before", event: { occurredAt: AT - 1 } },
    { what: "marked tests", event: { markedTest: true } },
    { what: "test users", event: { userId: "svc-test-1" } },
    { what: "exposures that count for nobody", event: { type: "exposure", ineligibleReason: "qa" } },
    { what: "exposures without a variant", event: { type: "exposure", variant: null } },
    { what: "excluded events", event: {}, change: { exclusions: [{ userIds: ["ann"] }] } },
    { what: "variants that are not compared", event: { variant: "made up" } },
    {
      what: "what names no variant on another system's flag",
      event: { variant: null },
      change: { owners: null },
    },
  ])("not $what", ({ event, change }) => {
    expect(tallyOf([event], change)).toEqual({});
  });

  test("without a variant, for the owner of the unit's bucket", () => {
    const ids = Array.from({ length: 200 }, (_, i) => `u${i}`);
    const bucket = (id: string) => bucketOf({ id: "exp", salt: "s", bucketCount: 100 }, id);
    const expected = {
      a: expect.objectContaining({ calls: ids.filter((id) => bucket(id) < 30).length }),
      b: expect.objectContaining({ calls: ids.filter((id) => bucket(id) >= 60).length }),
    };
    expect(tallyOf(ids.map((userId) => ({ userId, variant: "" })))).toEqual(expected);
    const units = ids.map((unitId) => ({ unitId, variant: null }));
    expect(tallyOf(units, { unit: "conversation" })).toEqual(expected);
    const owner = bucket("") < 30 ? ["a"] : bucket("") < 60 ? [] : ["b"];
    expect(Object.keys(tallyOf([{ variant: null }], { unit: "conversation" }))).toEqual(owner);
  });
});

describe("metrics", () => {
  const metrics: GuardSelection["metrics"] = [
    { source: { event: "business_event", businessMetric: "revenue" }, acceptFrom: ["secret"] },
    { source: { event: "model_call", field: "cost_usd" }, acceptFrom: null },
    { source: { event: "model_call", field: "error" }, acceptFrom: ["secret"] },
  ];
  const revenue = { type: "business_event", businessMetric: "revenue", value: 3, source: "secret" } as const;
  test.each<{ what: string; event: Partial<StoredEvent>; adds: object }>([
    { what: "an outcome", event: revenue, adds: { m0: 3, m1: 1 } },
    { what: "a sampled outcome", event: { ...revenue, samplingProbability: 0.25 }, adds: { m0: 12, m1: 4 } },
    { what: "an outcome without a value", event: { ...revenue, value: null }, adds: {} },
    { what: "another outcome", event: { ...revenue, businessMetric: "other" }, adds: {} },
    { what: "one of a source not accepted", event: { ...revenue, source: "publishable" }, adds: {} },
    { what: "one of an unknown source", event: { ...revenue, source: null }, adds: {} },
    {
      what: "a failed call, whose cost counts",
      event: { error: true, costUsd: 2, source: "secret", samplingProbability: 0.5 },
      adds: { calls: 1, errors: 1, m2: 2, m3: 1, m4: 1, m5: 1 },
    },
    {
      what: "a call whose errors are not accepted",
      event: { error: true, source: "import" },
      adds: { calls: 1, errors: 1 },
    },
    {
      what: "a call that says nothing of errors",
      event: { error: null, source: "secret" },
      adds: { calls: 1, completed: 1, missingUsage: 1 },
    },
  ])("$what", ({ event, adds }) => {
    expect(tallyOf([event], { metrics })).toEqual({ a: adds });
  });
});
