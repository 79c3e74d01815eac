import { DAY_MS, type EventStore, type FirstExposureQuery } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { appendTo, exposureOf } from "./judgeable-events.ts";
import { T0, wholeExperiment } from "./stored-event.ts";

/** Tests users' first exposures, as analyses see them. */
export function describeFirstExposures(storeOf: () => EventStore): void {
  describe("first exposures", () => exposures(storeOf));
}

function exposures(storeOf: () => EventStore): void {
  const queryFor = (orgId: string, overrides: Partial<FirstExposureQuery> = {}): FirstExposureQuery => ({
    ...wholeExperiment(orgId),
    ...{ until: T0 + DAY_MS, periodStarts: [T0, T0 + 10], userIds: ["u"] },
    ...overrides,
  });

  test.each([
    { name: "the earliest", events: [{ variant: "b", occurredAt: T0 + 1 }, {}], found: ["a", 1, T0, true] },
    {
      name: "the smaller event id at the same instant",
      events: [
        { eventId: "2", variant: "a" },
        { eventId: "1", variant: "b" },
      ],
      found: ["b", 1, T0, true],
    },
    {
      name: "a repeated one",
      events: [{}, { occurredAt: T0 + 5 }],
      found: ["a", 1, T0, false],
    },
    { name: "one before all periods", events: [{ occurredAt: T0 - 1 }], found: ["a", 0, T0 - 1, false] },
    { name: "one in the last period", events: [{ occurredAt: T0 + 10 }], found: ["a", 2, T0 + 10, false] },
    {
      name: "none after the cut-off",
      events: [{}, { variant: "b", occurredAt: T0 + DAY_MS }],
      found: ["a", 1, T0, false],
    },
    { name: "none without a variant", events: [{ variant: null }], found: null },
    { name: "none of another experiment", events: [{ experimentId: "other" }], found: null },
    { name: "none that is a call", events: [{ type: "model_call" as const }], found: null },
  ])("are $name", async ({ events, found }) => {
    const { orgId } = await appendTo(
      storeOf(),
      events.map((event) => exposureOf({ occurredAt: T0, ...event })),
    );
    const loaded = await storeOf().loadFirstExposures(queryFor(orgId));
    expect(loaded.map(({ arm, period, at, isContaminated }) => [arm, period, at, isContaminated])).toEqual(
      found === null ? [] : [found],
    );
  });

  test("are loaded for the requested users, thousands with the longest ids", async () => {
    const userIds = Array.from({ length: 1_500 }, (_, i) => String(i).padStart(256, "語"));
    const { orgId } = await appendTo(storeOf(), [
      ...userIds.map((userId) => exposureOf({ userId })),
      exposureOf({ userId: "not asked for" }),
    ]);
    const loaded = await storeOf().loadFirstExposures(queryFor(orgId, { userIds: [...userIds, "unknown"] }));
    expect(new Set(loaded.map(({ userId }) => userId))).toEqual(new Set(userIds));
    expect(loaded).toHaveLength(userIds.length);
    expect(await storeOf().loadFirstExposures(queryFor(orgId, { userIds: [] }))).toEqual([]);
  });
}
