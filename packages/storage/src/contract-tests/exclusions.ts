import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type ExclusionMatch, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { METRICS, revenue } from "./arm-metrics.ts";
import { appendTo, callOf, exposureOf, MIDNIGHT } from "./judgeable-events.ts";
import { loadFacts } from "./load-facts.ts";
import { fits, sent, someExclusions } from "./reference-exclusions.ts";
import { shareOf } from "./share.ts";
import { someEvent } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Tests that queries do not see excluded events. */
export function describeExclusions(storeOf: () => EventStore, share = 1): void {
  describe("exclusions", () => {
    parts(storeOf, share);
    firstExposures(storeOf);
    covariates(storeOf);
    judgeableCalls(storeOf);
    traffic(storeOf);
    poison(storeOf);
    previews(storeOf);
    excludedCalls(storeOf);
  });
}

const outcome = (fields: Partial<StoredEvent>): Partial<StoredEvent> => ({
  ...{ type: "business_event", businessMetric: "bought", value: 1, ...fields },
});

async function append(store: EventStore, events: readonly Partial<StoredEvent>[]): Promise<string> {
  const orgId = randomUUID();
  await store.append(events.map((event) => storedEvent({ ...event, orgId })));
  return orgId;
}

/** Counts an experiment's events as the health checks do. */
async function countEvents(store: EventStore, orgId: string, exclusions: readonly ExclusionMatch[]) {
  const { health } = await loadFacts(store, {
    ...wholeExperiment(orgId),
    ...{ exclusions, until: T0 + 30 * DAY_MS, prices: [], configuredModels: {} },
  });
  return health.reduce((sum, { events }) => sum + events, 0);
}

function parts(storeOf: () => EventStore, share: number): void {
  const whole: Partial<StoredEvent> = outcome({
    userId: "ann",
    eventId: "e1",
    source: "publishable",
    keyPrefix: "svc_pk_1",
    client: "assay-python/1.0.0",
    variant: "a",
    businessMetric: "bought",
    occurredAt: T0,
  });

  const matches: { name: string; match: ExclusionMatch; takes: boolean }[] = [
    { name: "its user", match: { userIds: ["bob", "ann"] }, takes: true },
    { name: "another user", match: { userIds: ["Ann"] }, takes: false },
    { name: "users who are all erased", match: { userIds: [] }, takes: false },
    { name: "its id", match: { eventIds: ["e1"] }, takes: true },
    { name: "another id", match: { eventIds: ["e"] }, takes: false },
    { name: "its source", match: { source: "publishable" }, takes: true },
    { name: "another source", match: { source: "secret" }, takes: false },
    { name: "its key", match: { keyPrefix: "svc_pk_1" }, takes: true },
    { name: "a longer key", match: { keyPrefix: "svc_pk_12" }, takes: false },
    { name: "its client", match: { client: "assay-python/1.0.0" }, takes: true },
    { name: "another version", match: { client: "assay-python/1.0.1" }, takes: false },
    { name: "its variant", match: { variant: "a" }, takes: true },
    { name: "another variant", match: { variant: "A" }, takes: false },
    { name: "its metric", match: { businessMetric: "bought" }, takes: true },
    { name: "another metric", match: { businessMetric: "bought2" }, takes: false },
    { name: "a range that begins with it", match: { from: T0, to: T0 + 1 }, takes: true },
    { name: "a range that ends with it", match: { from: T0 - 1, to: T0 }, takes: false },
    { name: "a range that begins later", match: { from: T0 + 1 }, takes: false },
    { name: "a range without a beginning", match: { to: T0 + 1 }, takes: true },
    {
      name: "every part",
      match: {
        userIds: ["ann"],
        eventIds: ["e1"],
        source: "publishable",
        keyPrefix: "svc_pk_1",
        client: "assay-python/1.0.0",
        variant: "a",
        businessMetric: "bought",
        from: T0,
        to: T0 + 1,
      },
      takes: true,
    },
    { name: "every part except one", match: { userIds: ["ann"], source: "secret", from: T0 }, takes: false },
  ];
  test.each(shareOf(matches, share))("by $name: taken out $takes", async ({ match, takes }) => {
    const orgId = await append(storeOf(), [whole]);
    expect(await countEvents(storeOf(), orgId, [match])).toBe(takes ? 0 : 1);
    // Another exclusion excludes more, never less.
    expect(await countEvents(storeOf(), orgId, [match, { userIds: ["nobody"] }])).toBe(takes ? 0 : 1);
  });

  test("accept the maximum number of the longest ids, with quotes, in a hundred matches", async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(128, i % 2 === 0 ? "'" : "語"));
    const orgId = await append(storeOf(), [
      ...ids.map((eventId) => ({ eventId, userId: `user of ${eventId}` })),
      { eventId: "kept", userId: "it's" },
    ]);
    const others = Array.from({ length: 98 }, (_, i) => ({
      ...({ source: "signed", keyPrefix: "k", client: "c", variant: "v", businessMetric: `m${i}` } as const),
      ...{ from: T0 - i, to: T0 + i + 1, userIds: ["it's"], eventIds: ["kept"] },
    }));
    const users = ids.map((eventId) => `user of ${eventId}`);
    for (const match of [{ eventIds: ids }, { userIds: users }]) {
      expect(await countEvents(storeOf(), orgId, [match])).toBe(1);
    }
    const arms = await storeOf().loadArms({
      ...wholeExperiment(orgId),
      exclusions: [...others, { eventIds: ids }, { userIds: users }],
      ...{ until: T0 + DAY_MS, periodStarts: [], metrics: [revenue], prices: [] },
      sample: { maxUsersPerArm: 10, preDays: 14 },
    });
    expect(arms.exposures).toEqual([]);
  });
}

function firstExposures(storeOf: () => EventStore): void {
  test("give a user the arm of the first remaining exposure, and undo contamination by excluded exposures", async () => {
    const orgId = await append(storeOf(), [
      { eventId: "forged", variant: "b", occurredAt: T0 },
      { eventId: "own", variant: "a", occurredAt: T0 + HOUR_MS },
    ]);
    const query = { ...wholeExperiment(orgId), until: T0 + DAY_MS, periodStarts: [], userIds: ["user"] };
    const load = async (exclusions: readonly ExclusionMatch[]) =>
      (await storeOf().loadFirstExposures({ ...query, exclusions })).map(({ arm, at, isContaminated }) => [
        arm,
        at,
        isContaminated,
      ]);
    expect(await load([])).toEqual([["b", T0, true]]);
    expect(await load([{ eventIds: ["forged"] }])).toEqual([["a", T0 + HOUR_MS, false]]);
    expect(await load([{ to: T0 + DAY_MS }])).toEqual([]);
  });
}

function covariates(storeOf: () => EventStore): void {
  test("reduce a user's past to its remaining events and those of other experiments", async () => {
    const before = { businessMetric: "revenue", occurredAt: T0 - DAY_MS };
    const orgId = await append(storeOf(), [
      { eventId: "early", variant: "a", occurredAt: T0 - 2 * DAY_MS },
      { eventId: "own", variant: "a" },
      outcome({ ...before, eventId: "1", value: 1 }),
      outcome({ ...before, eventId: "2", value: 2 }),
      outcome({ ...before, eventId: "4", value: 4, experimentId: "other" }),
    ]);
    const preOf = async (eventIds: readonly string[]) => {
      const { metrics } = await storeOf().loadArms({
        ...wholeExperiment(orgId),
        exclusions: [{ eventIds }],
        ...{ until: T0 + DAY_MS, periodStarts: [], metrics: [revenue], prices: [] },
        sample: { maxUsersPerArm: 10, preDays: 14 },
      });
      const sample = metrics[0]?.sample;
      return sample?.type === "values" ? [...sample.preY] : [];
    };
    expect(await preOf(["none"])).toEqual([Number.NaN]);
    expect(await preOf(["early"])).toEqual([7]);
    expect(await preOf(["early", "2", "4"])).toEqual([5]);
  });
}

function judgeableCalls(storeOf: () => EventStore): void {
  test("leave judges the remaining calls of users with remaining exposures", async () => {
    const { orgId } = await appendTo(storeOf(), [
      exposureOf(),
      exposureOf({ eventId: "forged", variant: "b" }),
      callOf({ eventId: "1" }),
      callOf({ eventId: "2" }),
    ]);
    const drawn = async (eventIds: readonly string[]) => {
      const day = { from: MIDNIGHT, until: MIDNIGHT + DAY_MS, salt: "quality:1" };
      const query = { ...wholeExperiment(orgId), ...day, exclusions: [{ eventIds }] };
      const counts = await storeOf().countJudgeable(query);
      const calls = await storeOf().drawJudgeable(query, { a: [9, 9] });
      return [counts.length, calls.map(({ eventId }) => eventId).sort()];
    };
    expect(await drawn(["none"])).toEqual([0, []]);
    expect(await drawn(["forged"])).toEqual([2, ["1", "2"]]);
    expect(await drawn(["forged", "2"])).toEqual([1, ["1"]]);
  });
}

function traffic(storeOf: () => EventStore): void {
  const events = [
    { experimentId: "exp", userId: "u1", variant: "a" },
    { experimentId: "exp", userId: "u2", variant: "a", occurredAt: T0 + 60_000 },
    { experimentId: "exp", userId: "u2", variant: "b", occurredAt: T0 + DAY_MS },
    { experimentId: "exp-2", userId: "u1", variant: "a" },
  ];
  const exclusions = [{ userIds: ["u2"] }];

  test("do not change the time of users' first events of any kind", async () => {
    const call = { experimentId: "exp", userId: "u2", type: "model_call", occurredAt: T0 - 1 } as const;
    const orgId = await append(storeOf(), [...events, call]);
    const seen = (userIds: readonly string[], until = T0 + DAY_MS) =>
      storeOf().loadFirstSeen({ orgId, experimentId: "exp", userIds, until });
    expect(await seen(["u2", "u1", "u3"])).toEqual(
      new Map([
        ["u1", T0],
        ["u2", T0 - 1],
      ]),
    );
    expect(await seen(["u2", "u1"], T0)).toEqual(new Map([["u2", T0 - 1]]));
    expect(await seen([])).toEqual(new Map());
  });

  test("reduce days, minutes and counts of exposures to the remaining ones, per experiment", async () => {
    const orgId = await append(storeOf(), events);
    const query = { orgId, experimentId: "exp", exclusions };
    expect(await storeOf().traffic(query)).toMatchObject([{ variant: "a", exposures: 1, users: 1 }]);
    const range = { from: T0 - HOUR_MS, until: T0 + HOUR_MS };
    expect(await storeOf().exposuresByMinute({ ...query, ...range })).toEqual([
      { at: T0, variant: "a", exposures: 1 },
    ]);
    const left = { experimentId: "exp", variant: "a", users: 1, exposures: 1, lastOn: "2026-03-10" };
    const other = { ...left, experimentId: "exp-2" };
    const ofExp = [{ experimentId: "exp", matches: exclusions }];
    expect(await storeOf().countExposures({ orgId, exclusions: ofExp })).toEqual([left, other]);
    const one = { orgId, experimentId: "exp" };
    expect(await storeOf().countExposures({ ...one, exclusions: ofExp })).toEqual([left]);
    const elsewhere = [
      { experimentId: "exp", matches: [] },
      { experimentId: "exp-2", matches: exclusions },
    ];
    expect(await storeOf().countExposures({ orgId, exclusions: elsewhere })).toMatchObject([
      { experimentId: "exp", variant: "a", users: 2 },
      { experimentId: "exp", variant: "b", users: 1 },
      { experimentId: "exp-2", variant: "a", users: 1 },
    ]);
    expect(await storeOf().countExposures({ ...one, exclusions: elsewhere })).toHaveLength(2);
  });
}

function poison(storeOf: () => EventStore): void {
  test("of a poisoned hour restore exactly the bits from before it", async () => {
    const sound = sent(fc.sample(someEvent, { numRuns: 1_200, seed: 11 })).map((event, i) => ({
      ...event,
      userId: `u${i % 290}`,
      value: Math.sin(i),
      latencyMs: i / 7,
    }));
    const inHour = { occurredAt: T0 + 100 * HOUR_MS + 5, source: "publishable" } as const;
    // By the table's key, some of these users sort before the other users, some between them, and some after them.
    const forged = Array.from({ length: 3_000 }, (_, i) => [
      { ...inHour, eventId: `f${i}`, userId: `${"!uz"[i % 3]}${i % 400}`, variant: "a" },
      outcome({
        ...inHour,
        eventId: `g${i}`,
        userId: `u${i % 290}`,
        businessMetric: "revenue",
        value: 1e9 / i,
      }),
      { ...inHour, eventId: `h${i}`, userId: `u${i % 290}`, type: "model_call" as const, latencyMs: 1e7 },
    ]).flat();
    const match = { source: "publishable", from: T0 + 100 * HOUR_MS, to: T0 + 101 * HOUR_MS } as const;
    const orgId = await append(storeOf(), sound);
    const load = async (exclusions: readonly ExclusionMatch[]) => {
      const query = { ...wholeExperiment(orgId), exclusions, until: T0 + 90 * DAY_MS, prices: PRICES };
      const arms = { ...query, periodStarts: [T0 + DAY_MS], metrics: METRICS };
      return {
        arms: await storeOf().loadArms({ ...arms, sample: { maxUsersPerArm: 60, preDays: 14 } }),
        facts: await loadFacts(storeOf(), { ...query, configuredModels: {} }),
      };
    };
    const before = await load([]);
    await storeOf().append(forged.map((event) => storedEvent({ ...event, orgId })));
    expect(await load([])).not.toEqual(before);
    expect(await load([match])).toEqual(before);
  });
}

function previews(storeOf: () => EventStore): void {
  test("predict what they would exclude from each arm", async () => {
    const orgId = await append(storeOf(), [
      { eventId: "1", userId: "u1", variant: "a" },
      outcome({ eventId: "2", userId: "u1", variant: "a" }),
      { eventId: "3", userId: "u2", variant: "a" },
      // The first exposure of u3 is excluded, and the next one names another arm.
      { eventId: "4", userId: "u3", variant: "a" },
      { eventId: "5", userId: "u3", variant: "b", occurredAt: T0 + 1 },
      { eventId: "6", userId: "u4", variant: "b" },
      outcome({ eventId: "7", userId: "nobody" }),
      { eventId: "8", userId: "u5", variant: "b" },
      { eventId: "9", userId: "u1", variant: "a", experimentId: "other" },
    ]);
    const match = { eventIds: ["2", "3", "4", "7", "9"] };
    const query = { ...wholeExperiment(orgId), exclusions: [{ userIds: ["u5"] }], match };
    expect(await storeOf().loadExclusionEffects(query)).toEqual([
      { arm: null, users: 0, affectedUsers: 0, removedUsers: 0, events: 1, removedEvents: 1 },
      { arm: "a", users: 3, affectedUsers: 3, removedUsers: 2, events: 5, removedEvents: 3 },
      { arm: "b", users: 1, affectedUsers: 0, removedUsers: 0, events: 1, removedEvents: 0 },
    ]);
    expect(await storeOf().loadExclusionEffects({ ...wholeExperiment(randomUUID()), match })).toEqual([]);
  });
}

function excludedCalls(storeOf: () => EventStore): void {
  test("list the calls that they match, excluded or not", async () => {
    const property = fc.asyncProperty(
      fc.array(someEvent, { maxLength: 60 }),
      someExclusions,
      async (fields, exclusions) => {
        const orgId = randomUUID();
        const events = sent(fields).map((field) => storedEvent({ ...field, orgId }));
        await storeOf().append(events);
        const isOut = (event: StoredEvent) =>
          event.experimentId === "exp" && exclusions.some((match) => fits(event, match));
        const asked = [...events.slice(3), { eventId: "unknown", userId: "u1" }];
        expect(await storeOf().listExcluded({ orgId, experimentId: "exp", exclusions }, asked)).toEqual(
          new Set(
            events
              .slice(3)
              .filter(isOut)
              .map(({ eventId }) => eventId),
          ),
        );
      },
    );
    await fc.assert(property, { numRuns: 10 });
  });

  test("list thousands of calls with the longest ids", async () => {
    const calls = Array.from({ length: 1_500 }, (_, i) => ({
      eventId: String(i).padStart(128, "語"),
      userId: String(i % 700).padStart(256, "'"),
      type: "model_call" as const,
    }));
    const orgId = await append(storeOf(), calls);
    const query = { ...wholeExperiment(orgId), exclusions: [{ to: T0 + 1 }] };
    expect((await storeOf().listExcluded(query, calls)).size).toBe(1_500);
    expect((await storeOf().listExcluded({ ...query, exclusions: [{ from: T0 + 1 }] }, calls)).size).toBe(0);
    expect(await storeOf().listExcluded(query, [])).toEqual(new Set());
  });
}
