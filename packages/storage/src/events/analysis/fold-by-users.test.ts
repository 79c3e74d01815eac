import { type AnalysisQuery, DAY_MS, type StoredEvent } from "@assay/domain";
import { expect, test } from "vitest";
import { METRICS } from "../../contract-tests/arm-metrics.ts";
import { PRICES } from "../../contract-tests/some-prices.ts";
import { FROM_EVENTS, FROM_STATE, MIDNIGHT, useStateWorld } from "../../contract-tests/state-world.ts";
import { storedEvent, wholeExperiment } from "../../contract-tests/stored-event.ts";

const HOUR_MS = 3_600_000;
const NIGHT = MIDNIGHT + 3 * DAY_MS;

const { world } = await useStateWorld();

const query: AnalysisQuery = {
  ...wholeExperiment("org"),
  ...{ until: NIGHT, periodStarts: [MIDNIGHT + DAY_MS], metrics: METRICS, prices: PRICES },
  sample: { maxUsersPerArm: 12, preDays: 14 },
};

/** One user has half of the events. Some users have late events, an earlier exposure that arrived late, or a past. */
function someEvents(): StoredEvent[] {
  return Array.from({ length: 600 }, (_, i) => {
    const userId = i % 2 === 0 ? "heavy" : `user-${(i * 7) % 83}`;
    const occurredAt = MIDNIGHT + Math.floor(((i * 37) % 71) * HOUR_MS * 1.01);
    const isLate = i % 11 === 0;
    const receivedAt = isLate ? NIGHT + 2 * HOUR_MS : occurredAt + 1_000;
    const common = { eventId: `e${i}`, userId, occurredAt, receivedAt };
    if (i % 5 === 1) return storedEvent({ ...common, variant: Number(userId.at(-1)) % 2 ? "a" : "b" });
    if (i % 5 === 2) return storedEvent({ ...common, type: "model_call", latencyMs: Math.exp(Math.sin(i)) });
    return storedEvent({
      ...common,
      experimentId: i % 13 === 0 ? "other" : "exp",
      type: "business_event",
      businessMetric: "revenue",
      value: Math.exp(Math.cos(i)),
    });
  });
}

test("a night that reads everything reads ranges of users once, and gives the same bits and state as at once", async () => {
  await world.store.append(someEvents());
  const expected = await world.load(query, FROM_EVENTS);
  expect(world.heard.ranges).toBe(0);
  await world.load(query);
  const state = await world.state(query);
  expect([world.heard.ranges, state === null]).toEqual([0, false]);
  for (const eventsPerPart of [400, 200, 60, 7]) {
    await world.forget();
    world.heard.ranges = 0;
    expect(await world.load(query, { ...FROM_STATE, eventsPerPart })).toEqual(expected);
    // The user with half of the events cannot be divided.
    expect(world.heard.ranges).toBeGreaterThan(1);
    expect(world.heard.ranges).toBeLessThanOrEqual(Math.ceil(600 / eventsPerPart));
    expect(await world.state(query)).toBe(state);
    // The next analysis begins from what is left.
    expect(await world.load({ ...query, until: NIGHT + HOUR_MS }, { ...FROM_STATE, eventsPerPart })).toEqual(
      await world.load({ ...query, until: NIGHT + HOUR_MS }, FROM_EVENTS),
    );
  }
});

test("conversations, which several users may name, are read by ranges of their hashes", async () => {
  const events = someEvents().map((event, i) => ({ ...event, unitId: `talk-${i % 40}` }));
  await world.store.append(events);
  const ofTalks: AnalysisQuery = { ...query, unit: "conversation" };
  const expected = await world.load(ofTalks, FROM_EVENTS);
  expect(await world.load(ofTalks, { ...FROM_STATE, eventsPerPart: 100 })).toEqual(expected);
  expect(world.heard.ranges).toBe(0);
});
