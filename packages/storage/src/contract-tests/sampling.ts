import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type StoredEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { latency, revenue } from "./arm-metrics.ts";
import { type FactsQuery, loadFacts } from "./load-facts.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const until = T0 + 30 * DAY_MS;

/** Tests that events of sampled traces also count for the events that the sampler dropped. */
export function describeSampling(storeOf: () => EventStore): void {
  describe("events of sampled traces", () => sampling(storeOf));
}

function sampling(storeOf: () => EventStore): void {
  const exposed = (userId: string, variant: string, more: Partial<StoredEvent> = {}) => ({
    ...{ userId, variant, ...more },
  });
  const call = (userId: string, latencyMs: number, samplingProbability: number | null = null) => ({
    ...{ type: "model_call" as const, userId, latencyMs, samplingProbability, occurredAt: T0 + 60_000 },
  });
  const samplingOf = async (
    query: Pick<FactsQuery, "orgId" | "experimentId" | "unit" | "exclusions" | "until">,
  ) => (await loadFacts(storeOf(), { ...query, prices: [], configuredModels: {} })).sampling;
  async function stored(events: readonly Partial<StoredEvent>[]) {
    const orgId = randomUUID();
    await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
    return wholeExperiment(orgId);
  }

  test("count in sums and means, up to a million each", async () => {
    const experiment = await stored([
      ...[exposed("ann", "a"), call("ann", 100, 0.1), call("ann", 500), call("ann", 7, 1)],
      ...[exposed("bob", "b"), call("bob", 3, 2 ** -56), exposed("cy", "b"), call("cy", 3)],
    ]);
    const total = { ...revenue, name: "total", source: latency.source };
    const { metrics } = await storeOf().loadArms({
      ...{ ...experiment, until, periodStarts: [], prices: [], metrics: [latency, total] },
      sample: { maxUsersPerArm: 10, preDays: 14 },
    });
    expect(
      metrics.map(({ metric, arm, weights, ...row }) => [
        metric,
        arm,
        row.events,
        row.meanY,
        row.meanD,
        weights,
      ]),
    ).toEqual([
      ["latency", "a", 3, 1_507, 12, { smallest: 1, largest: 10, total: 12 }],
      [
        "latency",
        "b",
        2,
        (3 * (2 ** 20 + 1)) / 2,
        (2 ** 20 + 1) / 2,
        { smallest: 1, largest: 2 ** 20, total: 2 ** 20 + 1 },
      ],
      ["total", "a", 3, 1_507, 1, { smallest: 1, largest: 10, total: 12 }],
      ["total", "b", 2, (3 * (2 ** 20 + 1)) / 2, 1, { smallest: 1, largest: 2 ** 20, total: 2 ** 20 + 1 }],
    ]);
  });

  test("are counted by arm, with the users whose exposure was sampled", async () => {
    const experiment = await stored([
      ...[exposed("ann", "a", { samplingProbability: 0.5 }), call("ann", 1, 0.5), call("ann", 1, 0.25)],
      ...[exposed("bob", "a"), call("bob", 1), exposed("idle", "b")],
      // Users with several variants, test users, and users without an exposure do not count.
      ...[exposed("both", "a"), exposed("both", "b"), call("both", 1, 0.1)],
      ...[exposed("svc-test-1", "b"), call("svc-test-1", 1, 0.1), call("nobody", 1, 0.1)],
      ...[exposed("marked", "b", { markedTest: true }), call("marked", 1, 0.1)],
    ]);
    const counts = {
      ...{ arm: "a", users: 2, sampledUsers: 1, calls: 3, sampledCalls: 2, weight: 7 },
      ...{ smallestWeight: 1, largestWeight: 4 },
    };
    const none = { calls: 0, sampledCalls: 0, weight: 0, smallestWeight: 0, largestWeight: 0 };
    expect(await samplingOf({ ...experiment, until })).toEqual([
      counts,
      { arm: "b", users: 1, sampledUsers: 0, ...none },
    ]);
    expect(await samplingOf({ ...experiment, until: T0 })).toEqual([]);
    const exclusions = [{ userIds: ["ann"] }];
    const left = await samplingOf({ ...experiment, exclusions, until });
    expect(left[0]).toMatchObject({ arm: "a", users: 1, sampledCalls: 0, weight: 1 });
  });

  test("of an experiment without any, nothing is counted", async () => {
    const experiment = await stored([exposed("ann", "a"), call("ann", 1, 1), call("ann", 2)]);
    expect(await samplingOf({ ...experiment, until })).toEqual([]);
  });

  test("weigh what a guard counts per exposure, and not its rates of calls", async () => {
    const score = { type: "business_event" as const, businessMetric: "helpful", value: 4, occurredAt: T0 };
    const experiment = await stored(
      [
        ...[exposed("ann", "a"), call("ann", 100, 0.1)],
        ...[{ ...score, userId: "ann", variant: "a", samplingProbability: 0.25 }],
      ].map((event) => ({ variant: "a", ...event })),
    );
    const sums = await storeOf().loadGuardSums({
      ...{
        ...experiment,
        receivedFrom: null,
        receivedUntil: until,
        occurredFrom: T0 - 1,
        owners: null,
        arms: ["a"],
        prices: [],
      },
      metrics: [
        { source: { event: "business_event", businessMetric: "helpful" }, acceptFrom: null },
        { source: { event: "model_call", field: "latency_ms" }, acceptFrom: null },
      ],
    });
    const totals = sums.get("a")!.map((column) => column.reduce((sum, value) => sum + value));
    expect(totals.slice(-4)).toEqual([16, 4, 100, 1]);
  });
}
