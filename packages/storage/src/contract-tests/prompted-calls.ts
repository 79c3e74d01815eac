import { DAY_MS, type EventStore, type PromptedCallsQuery, planDraw, type StoredEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { appendTo, HOUR_MS, MIDNIGHT } from "./judgeable-events.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const callOf = (overrides: Partial<StoredEvent> = {}): Partial<StoredEvent> => ({
  ...{ type: "model_call", userId: "u", prompt: "why?", occurredAt: T0 },
  ...overrides,
});
const queryOf = (orgId: string, more: Partial<PromptedCallsQuery> = {}): PromptedCallsQuery => ({
  ...wholeExperiment(orgId),
  ...{ from: MIDNIGHT, until: MIDNIGHT + DAY_MS },
  ...more,
});

/** Tests how calls with a prompt are counted and drawn. */
export function describePromptedCalls(storeOf: () => EventStore, share = 1): void {
  describe("calls with a prompt", () => {
    const cases: { name: string; isCounted: boolean; call: Partial<StoredEvent> }[] = [
      { name: "a call with a prompt", isCounted: true, call: {} },
      { name: "one that failed", isCounted: true, call: { error: true, response: null } },
      { name: "one without a prompt", isCounted: false, call: { prompt: null } },
      { name: "one of a test user", isCounted: false, call: { userId: "svc-test-1" } },
      { name: "one of another experiment", isCounted: false, call: { experimentId: "other" } },
      { name: "one at the first instant", isCounted: true, call: { occurredAt: MIDNIGHT } },
      { name: "one before it", isCounted: false, call: { occurredAt: MIDNIGHT - 1 } },
      { name: "one at the last instant", isCounted: true, call: { occurredAt: MIDNIGHT + DAY_MS - 1 } },
      { name: "one after it", isCounted: false, call: { occurredAt: MIDNIGHT + DAY_MS } },
      { name: "one that arrived days later", isCounted: true, call: { receivedAt: T0 + 9 * DAY_MS } },
      { name: "one dated after its receipt", isCounted: true, call: { receivedAt: T0 - DAY_MS + 1 } },
      { name: "one with an id that databases refuse", isCounted: false, call: { eventId: "a\0b" } },
      { name: "one that is excluded", isCounted: false, call: { userId: "bot" } },
    ];
    test.each(cases)("are found ($isCounted) when the call is $name", async ({ isCounted, call }) => {
      const { orgId, stored } = await appendTo(storeOf(), [callOf(call)]);
      const query = queryOf(orgId, { exclusions: [{ userIds: ["bot"] }] });
      const cells = isCounted ? [{ day: MIDNIGHT, step: 8, calls: 1 }] : [];
      expect(await storeOf().countPrompted(query)).toEqual(cells);
      const plan = [{ day: MIDNIGHT, step: 8, calls: 1, quota: 5 }];
      const [event] = stored as [StoredEvent];
      const drawn = {
        ...{ eventId: event.eventId, userId: event.userId, occurredAt: event.occurredAt },
        ...{ receivedAt: event.receivedAt, samplingProbability: null, promptBytes: 4 },
      };
      expect(await storeOf().drawPrompted({ ...query, salt: "s" }, plan)).toEqual(isCounted ? [drawn] : []);
      expect(await storeOf().drawPrompted({ ...query, orgId: "other", salt: "s" }, plan)).toEqual([]);
    });

    test("count once each, by day and length, even while they are stored several times", async () => {
      const { orgId, stored } = await appendTo(storeOf(), [
        callOf({ prompt: "x", samplingProbability: 0.25 }),
        callOf({ prompt: "ü".repeat(500), occurredAt: T0 + 1 }),
        callOf({ prompt: "x".repeat(1_000), occurredAt: T0 + 2 }),
        callOf({ prompt: "x", occurredAt: T0 + DAY_MS }),
      ]);
      for (let delivery = 0; delivery < 3; delivery++) await storeOf().appendUnmetered(stored);
      const query = queryOf(orgId, { from: T0, until: T0 + 2 * DAY_MS });
      const cells = [
        { day: MIDNIGHT, step: 0, calls: 1 },
        { day: MIDNIGHT, step: 39, calls: 2 },
        { day: MIDNIGHT + DAY_MS, step: 0, calls: 1 },
      ];
      expect(await storeOf().countPrompted(query)).toEqual(cells);
      const plan = cells.map((cell) => ({ ...cell, quota: 9 }));
      const drawn = await storeOf().drawPrompted({ ...query, salt: "s" }, plan);
      expect(drawn.map(({ eventId }) => eventId)).toEqual(stored.map(({ eventId }) => eventId));
      expect(drawn.map(({ promptBytes }) => promptBytes)).toEqual([1, 1_000, 1_000, 1]);
      expect(drawn[0]?.samplingProbability).toBe(0.25);
    });

    test("are the trusted ones where a publishable key used the same id", async () => {
      const forged = callOf({ eventId: "e", userId: "forger", source: "publishable" });
      const { orgId } = await appendTo(storeOf(), [forged]);
      const trusted = callOf({ eventId: "e", source: "secret", receivedAt: T0 + 1 });
      await storeOf().append([storedEvent({ orgId, ...trusted })]);
      const cells = await storeOf().countPrompted(queryOf(orgId));
      expect(cells).toEqual([{ day: MIDNIGHT, step: 8, calls: 1 }]);
      const plan = cells.map((cell) => ({ ...cell, quota: 9 }));
      const drawn = await storeOf().drawPrompted({ ...queryOf(orgId), salt: "s" }, plan);
      expect(drawn.map(({ userId }) => userId)).toEqual(["u"]);
    });

    // 40 draws of the same query. The other tests check the draw itself; this one checks that it favors no call.
    test.runIf(share === 1)("are drawn by quota, each as often as the others over many salts", async () => {
      const calls = Array.from({ length: 60 }, (_, i) =>
        callOf({
          eventId: `e${i}`,
          prompt: "x".repeat(i % 3 === 0 ? 300 : 5),
          userId: `u${i % 7}`,
          occurredAt: MIDNIGHT + (i % 2) * DAY_MS + (i % 11) * HOUR_MS,
        }),
      );
      const { orgId } = await appendTo(storeOf(), calls);
      const query = queryOf(orgId, { until: MIDNIGHT + 2 * DAY_MS });
      const cells = await storeOf().countPrompted(query);
      expect(cells.map((cell) => cell.calls)).toEqual([20, 10, 20, 10]);
      const [DRAWS, ITEMS] = [40, 12];
      const times = new Map<string, number>();
      for (let draw = 0; draw < DRAWS; draw++) {
        const plan = planDraw(cells, ITEMS, draw / DRAWS);
        const drawn = await storeOf().drawPrompted({ ...query, salt: `draw ${draw}` }, plan);
        expect(drawn).toHaveLength(ITEMS);
        for (const { eventId } of drawn) times.set(eventId, (times.get(eventId) ?? 0) + 1);
      }
      // Each of the 60 counts is binomial with the mean 8 and the standard deviation 2.5; the salts are fixed.
      expect(times.size).toBe(60);
      const mean = (DRAWS * ITEMS) / 60;
      const spread = [...times.values()].reduce((sum, count) => sum + (count - mean) ** 2, 0) / 60;
      expect(spread).toBeLessThan(2 * mean * (1 - ITEMS / 60));
      for (const count of times.values()) expect(Math.abs(count - mean)).toBeLessThan(4 * 2.5);
    });
  });
}
