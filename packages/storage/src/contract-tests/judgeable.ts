import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type JudgeableQuery, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE } from "./hostile.ts";
import { appendTo, callOf, exposureOf, HOUR_MS, MIDNIGHT } from "./judgeable-events.ts";
import { leftOf, someExclusions } from "./reference-exclusions.ts";
import { referenceCounts, referenceDraw } from "./reference-judgeable.ts";
import { shareOf } from "./share.ts";
import { LONG_AGO, T0, wholeExperiment } from "./stored-event.ts";

/** Tests judgeable calls and the other reads of judging. */
export function describeJudgeable(storeOf: () => EventStore, share = 1): void {
  describe("judgeable calls", () => {
    eligibility(storeOf, share);
    drawing(storeOf);
  });
  describe("call texts", () => texts(storeOf));
}

const queryOf = (orgId: string, overrides: Partial<JudgeableQuery> = {}): JudgeableQuery => ({
  ...wholeExperiment(orgId),
  ...{ from: MIDNIGHT, until: MIDNIGHT + DAY_MS, salt: "quality:1" },
  ...overrides,
});

function eligibility(storeOf: () => EventStore, share: number): void {
  const cases: { name: string; isJudgeable: boolean; events: readonly Partial<StoredEvent>[] }[] = [
    { name: "a call with an answer", isJudgeable: true, events: [exposureOf(), callOf()] },
    {
      name: "one at the day's first instant",
      isJudgeable: true,
      events: [exposureOf(), callOf({ occurredAt: MIDNIGHT })],
    },
    {
      name: "one at the day's last instant",
      isJudgeable: true,
      events: [exposureOf(), callOf({ occurredAt: MIDNIGHT + DAY_MS - 1 })],
    },
    {
      name: "one from the day before",
      isJudgeable: false,
      events: [exposureOf(), callOf({ occurredAt: MIDNIGHT - 1 })],
    },
    {
      name: "one from the next day",
      isJudgeable: false,
      events: [exposureOf(), callOf({ occurredAt: MIDNIGHT + DAY_MS })],
    },
    {
      name: "one that arrived days later",
      isJudgeable: true,
      events: [exposureOf(), callOf({ receivedAt: T0 + 9 * DAY_MS })],
    },
    {
      name: "one dated after its receipt",
      isJudgeable: true,
      events: [exposureOf(), callOf({ receivedAt: T0 - DAY_MS + 1 })],
    },
    { name: "one without an answer", isJudgeable: false, events: [exposureOf(), callOf({ response: null })] },
    {
      name: "one that failed",
      isJudgeable: true,
      events: [exposureOf(), callOf({ response: null, error: true })],
    },
    {
      name: "one that says it did not fail",
      isJudgeable: true,
      events: [exposureOf(), callOf({ error: false })],
    },
    {
      name: "one that a sampler kept",
      isJudgeable: true,
      events: [exposureOf(), callOf({ samplingProbability: 0.25 })],
    },
    {
      name: "one that names no variant",
      isJudgeable: true,
      events: [exposureOf(), callOf({ variant: null })],
    },
    {
      name: "one under another variant",
      isJudgeable: false,
      events: [exposureOf(), callOf({ variant: "b" })],
    },
    { name: "one of a user without an exposure", isJudgeable: false, events: [callOf()] },
    {
      name: "one at the instant of the exposure",
      isJudgeable: true,
      events: [exposureOf({ occurredAt: T0 }), callOf()],
    },
    {
      name: "one before the exposure",
      isJudgeable: false,
      events: [exposureOf({ occurredAt: T0 + 1 }), callOf()],
    },
    {
      name: "one before a second exposure",
      isJudgeable: true,
      events: [exposureOf(), exposureOf({ occurredAt: T0 + 1 }), callOf()],
    },
    {
      name: "one with an exposure after the day",
      isJudgeable: false,
      events: [exposureOf({ occurredAt: MIDNIGHT + DAY_MS }), callOf()],
    },
    {
      name: "one of a user in two arms",
      isJudgeable: false,
      events: [exposureOf(), exposureOf({ variant: "b", occurredAt: T0 + 1 }), callOf()],
    },
    {
      name: "one of a user in a second arm later",
      isJudgeable: true,
      events: [exposureOf(), exposureOf({ variant: "b", occurredAt: MIDNIGHT + DAY_MS }), callOf()],
    },
    {
      name: "one with an exposure without a variant",
      isJudgeable: false,
      events: [exposureOf({ variant: null }), callOf()],
    },
    {
      name: "one of a test user",
      isJudgeable: false,
      events: [exposureOf({ userId: "svc-test-1" }), callOf({ userId: "svc-test-1" })],
    },
    {
      name: "one of another experiment",
      isJudgeable: false,
      events: [exposureOf(), callOf({ experimentId: "other" })],
    },
    { name: "an outcome", isJudgeable: false, events: [exposureOf(), callOf({ type: "business_event" })] },
    {
      name: "one with an id that databases refuse",
      isJudgeable: false,
      events: [exposureOf(), callOf({ eventId: "a\0b" })],
    },
  ];
  test.each(shareOf(cases, share))(
    "are found ($isJudgeable) when the call is $name",
    async ({ isJudgeable, events }) => {
      const { orgId, stored } = await appendTo(storeOf(), events);
      const counts = isJudgeable ? [{ arm: "a", rank: 1, calls: 1 }] : [];
      expect(await storeOf().countJudgeable(queryOf(orgId))).toEqual(counts);
      const drawn = await storeOf().drawJudgeable(queryOf(orgId), { a: [9] });
      expect(drawn).toEqual(referenceDraw(stored, queryOf(orgId), { a: [9] }));
      expect(drawn).toHaveLength(counts.length);
    },
  );

  test("count once each, even while they are stored several times", async () => {
    const { orgId, stored } = await appendTo(storeOf(), [
      exposureOf(),
      callOf(),
      callOf({ occurredAt: T0 + 1 }),
    ]);
    for (let delivery = 0; delivery < 3; delivery++) await storeOf().appendUnmetered(stored);
    expect(await storeOf().countJudgeable(queryOf(orgId))).toEqual([
      { arm: "a", rank: 1, calls: 1 },
      { arm: "a", rank: 2, calls: 1 },
    ]);
    expect(await storeOf().drawJudgeable(queryOf(orgId), { a: [5, 5] })).toHaveLength(2);
    expect(
      (
        await storeOf().loadTexts(
          orgId,
          "exp",
          stored.map(({ eventId }) => eventId),
        )
      ).size,
    ).toBe(3);
  });

  test("are counted by rank up to 50, with the number of calls of their user", async () => {
    const calls = Array.from({ length: 60 }, (_, i) => callOf({ occurredAt: T0 + i }));
    const { orgId } = await appendTo(storeOf(), [exposureOf(), ...calls]);
    const counts = await storeOf().countJudgeable(queryOf(orgId));
    expect(counts).toEqual(Array.from({ length: 50 }, (_, i) => ({ arm: "a", rank: i + 1, calls: 1 })));
    const drawn = await storeOf().drawJudgeable(queryOf(orgId), { a: [1, 0, 1] });
    expect(drawn.map(({ callsOfUser }) => callsOfUser)).toEqual([60, 60]);
    const all = await storeOf().drawAllJudgeable(queryOf(orgId));
    expect(all).toEqual({ counts, calls: await storeOf().drawJudgeable(queryOf(orgId), ALL) });
    expect(all.calls).toHaveLength(50);
  });
}

const someCall = fc
  .record({
    user: fc.integer({ min: 0, max: 30 }),
    hour: fc.integer({ min: -2, max: 26 }),
    variant: fc.constantFrom("a", "b", null),
    error: fc.constantFrom(null, false, true),
    response: fc.constantFrom(null, "", "yes", "no"),
    eventId: fc.oneof(fc.uuid(), fc.string({ minLength: 1, unit: "grapheme" })),
  })
  .map(({ user, hour, ...call }) =>
    callOf({ ...call, userId: `u${user}`, occurredAt: MIDNIGHT + hour * HOUR_MS }),
  );

const ALL = { a: Array<number>(50).fill(99), b: Array<number>(50).fill(99) };

function drawing(storeOf: () => EventStore): void {
  test("are drawn like a plain reference draws them, for any events", async () => {
    const calls = fc.uniqueArray(someCall, {
      ...{ minLength: 80, maxLength: 200 },
      selector: ({ eventId }) => eventId?.toWellFormed(),
    });
    const quotas = fc.record({
      a: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
      b: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
    });
    const property = fc.asyncProperty(
      calls,
      quotas,
      fc.string(),
      someExclusions,
      async (some, quota, salt, exclusions) => {
        const users = Array.from({ length: 28 }, (_, i) =>
          exposureOf({ userId: `u${i}`, variant: i % 3 === 0 ? "b" : "a", occurredAt: MIDNIGHT + i * 1e6 }),
        );
        const events = [...users, ...some].map((event) => ({
          ...event,
          eventId: event.eventId ?? randomUUID(),
        }));
        const { orgId, stored } = await appendTo(storeOf(), events);
        const query = queryOf(orgId, { salt: salt.toWellFormed().replaceAll("\0", ""), exclusions });
        const left = leftOf(stored, [{ experimentId: "exp", matches: exclusions }]);
        expect(await storeOf().countJudgeable(query)).toEqual(referenceCounts(left, query));
        expect(await storeOf().drawJudgeable(query, quota)).toEqual(referenceDraw(left, query, quota));
        expect(await storeOf().drawAllJudgeable(query)).toEqual({
          counts: referenceCounts(left, query),
          calls: referenceDraw(left, query, ALL),
        });
      },
    );
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  });

  test("are drawn only from the requested arms; another salt draws different calls", async () => {
    const events = Array.from({ length: 60 }, (_, i) => {
      const of = { userId: `u${i}`, variant: "abc"[i % 3]! };
      return [exposureOf(of), callOf({ ...of, eventId: `e${i}` })];
    }).flat();
    const { orgId } = await appendTo(storeOf(), events);
    const draw = (salt: string, quotas: Readonly<Record<string, readonly number[]>>) =>
      storeOf().drawJudgeable(queryOf(orgId, { salt }), quotas);
    const one = await draw("one", { a: [4], c: [2], none: [3] });
    expect(one.map(({ arm }) => arm).sort()).toEqual(["a", "a", "a", "a", "c", "c"]);
    expect(await draw("one", { a: [4], c: [2] })).toEqual(one);
    expect((await draw("two", { a: [4], c: [2] })).map(({ eventId }) => eventId)).not.toEqual(
      one.map(({ eventId }) => eventId),
    );
    expect(await draw("one", {})).toEqual([]);
    // Golden values: an engine version with a different hash would draw other calls in the middle of an experiment.
    expect(one.map(({ eventId, order }) => `${eventId} ${order}`)).toEqual([
      ...["e6 298835145", "e15 1449394748", "e57 1777925652"],
      ...["e0 1922274620", "e59 3025969802", "e53 3490022935"],
    ]);
  });

  test("accept any text as an id", async () => {
    const ids = HOSTILE.filter((text) => !text.includes("\0"));
    const events = ids.flatMap((id) => [
      exposureOf({ userId: id }),
      callOf({ userId: id, eventId: id, response: id }),
    ]);
    const { orgId } = await appendTo(storeOf(), events);
    const drawn = await storeOf().drawJudgeable(queryOf(orgId), { a: [99] });
    expect(new Set(drawn.map(({ eventId }) => eventId))).toEqual(new Set(ids));
    const found = await storeOf().loadTexts(orgId, "exp", ids);
    expect(found).toEqual(new Map(ids.map((id) => [id, { prompt: null, response: id }])));
  });
}

function texts(storeOf: () => EventStore): void {
  test("are loaded by event id, from one experiment, as many as requested", async () => {
    const ids = Array.from({ length: 400 }, (_, i) => String(i).padStart(128, "語"));
    const { orgId, stored } = await appendTo(storeOf(), [
      ...ids.map((eventId) => callOf({ eventId, prompt: eventId.slice(-4), receivedAt: LONG_AGO })),
      callOf({ eventId: "other", experimentId: "other" }),
      callOf({ eventId: "not asked for" }),
      exposureOf({ eventId: "bare" }),
    ]);
    const found = await storeOf().loadTexts(orgId, "exp", [...ids, "other", "bare", "unknown"]);
    expect(found.size).toBe(ids.length + 1);
    expect(found.get("bare")).toEqual({ prompt: null, response: null });
    expect(ids.every((id) => found.get(id)?.prompt === id.slice(-4))).toBe(true);
    await storeOf().sweepRaw([{ orgIds: [orgId], receivedBefore: LONG_AGO + 1 }]);
    expect(await storeOf().loadTexts(orgId, "exp", [stored[0]!.eventId])).toEqual(new Map());
    expect(await storeOf().loadTexts(orgId, "exp", [])).toEqual(new Map());
  });
}
