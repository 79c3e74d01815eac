import { randomUUID } from "node:crypto";
import {
  type AnalysisQuery,
  type ArmSnapshot,
  DAY_MS,
  type EventStore,
  type StoredEvent,
} from "@assay/domain";
import { expect, test } from "vitest";
import { bought, latency, revenue } from "./arm-metrics.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Tests the attribution rules one by one: which events count, for which user and in which arm. */
export function describeArmAttribution(storeOf: () => EventStore): void {
  /** Stores the events for a fresh org and loads the arms. */
  async function armsOf(events: readonly Partial<StoredEvent>[], query: Partial<AnalysisQuery> = {}) {
    const orgId = randomUUID();
    await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
    return storeOf().loadArms({
      ...wholeExperiment(orgId),
      until: T0 + 30 * DAY_MS,
      periodStarts: [],
      metrics: [latency, revenue, bought],
      prices: [],
      sample: null,
      ...query,
    });
  }
  const sums = (arms: ArmSnapshot, metric: string) =>
    arms.metrics
      .filter((row) => row.metric === metric)
      .map(({ arm, period, users, events, meanY }) => ({ arm, period, users, events, meanY }));
  const exposure = { variant: "a" } as const;
  const call = (latencyMs: number, at: number): Partial<StoredEvent> => ({
    type: "model_call",
    latencyMs,
    occurredAt: T0 + at,
  });
  const buy = (value: number, at: number): Partial<StoredEvent> => ({
    type: "business_event",
    businessMetric: "revenue",
    value,
    occurredAt: T0 + at,
  });

  test("counts outcomes from the instant of the first exposure", async () => {
    const arms = await armsOf([exposure, call(7, -1), call(10, 0), call(20, 1), buy(3, -1), buy(5, 0)]);
    expect(sums(arms, "latency")).toEqual([{ arm: "a", period: 0, users: 1, events: 2, meanY: 30 }]);
    expect(sums(arms, "revenue")).toEqual([{ arm: "a", period: 0, users: 1, events: 1, meanY: 5 }]);
    expect(arms).toMatchObject({
      outcomes: 3,
      droppedPreExposure: 2,
      variantConflicts: 0,
      firstExposureAt: T0,
    });
  });

  test("takes users by the exposures of a holdback, when it is asked about that", async () => {
    const held = { ineligibleReason: "holdback", occurredAt: T0 + 5 } as const;
    const events = [
      exposure,
      call(10, 1),
      { ...held, variant: "a" },
      call(20, 6),
      { ...held, variant: "b", userId: "u2" },
      { ...held, variant: null, userId: "u3" },
      { ...held, ineligibleReason: "shipped", variant: "b", userId: "u4" },
    ] as const;
    const arms = await armsOf(events, { exposures: "holdback" });
    expect(arms.exposures.map(({ arm, users }) => [arm, users])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(sums(arms, "latency")).toEqual([{ arm: "a", period: 0, users: 1, events: 1, meanY: 20 }]);
    const since = await armsOf(events, { exposures: "holdback", exclusions: [{ to: T0 + 6 }] });
    expect(since.exposures).toEqual([]);
    expect((await armsOf(events)).exposures.map(({ arm, users }) => [arm, users])).toEqual([["a", 1]]);
  });

  test("ignores events at the cut-off or later", async () => {
    const arms = await armsOf(
      [exposure, call(1, 999), call(2, 1_000), { ...exposure, userId: "u2", occurredAt: T0 + 1_000 }],
      { until: T0 + 1_000 },
    );
    expect(arms.exposures).toMatchObject([
      { arm: "a", period: 0, users: 1, testUsers: 0, contaminatedUsers: 0 },
    ]);
    expect(sums(arms, "latency")).toMatchObject([{ events: 1, meanY: 1 }]);
  });

  test("takes arm and period from the first exposure; at the same instant the smaller event id wins", async () => {
    const arms = await armsOf(
      [
        { eventId: "2", variant: "b", userId: "tie" },
        { eventId: "1", variant: "a", userId: "tie" },
        { variant: "a", userId: "early", occurredAt: T0 + HOUR_MS - 1 },
        { variant: "a", userId: "early", occurredAt: T0 + 9 * HOUR_MS },
        { variant: "a", userId: "at the start", occurredAt: T0 + HOUR_MS },
        { variant: "b", userId: "late", occurredAt: T0 + 3 * HOUR_MS },
      ],
      { periodStarts: [T0 + HOUR_MS, T0 + 2 * HOUR_MS] },
    );
    expect(arms.exposures).toMatchObject([
      { arm: "a", period: 0, users: 2, testUsers: 0, contaminatedUsers: 1 },
      { arm: "a", period: 1, users: 1, testUsers: 0, contaminatedUsers: 0 },
      { arm: "b", period: 2, users: 1, testUsers: 0, contaminatedUsers: 0 },
    ]);
  });

  test("counts contaminated users and test users in the exposures but not in metrics or drop counts", async () => {
    const arms = await armsOf([
      { userId: "both", variant: "a" },
      { userId: "both", variant: "b", occurredAt: T0 + 5 },
      { userId: "both", ...call(1, 6), variant: "b" },
      { userId: "both", ...call(1, -6) },
      { userId: "svc-test-1", variant: "a" },
      { userId: "svc-test-1", ...call(1, 6) },
      { userId: "svc-test-1", ...call(1, -6) },
      { userId: "plain", variant: "a" },
      { userId: "plain", ...call(9, 6) },
    ]);
    expect(arms.exposures).toMatchObject([
      { arm: "a", period: 0, users: 3, testUsers: 1, contaminatedUsers: 1 },
    ]);
    expect(sums(arms, "latency")).toEqual([{ arm: "a", period: 0, users: 1, events: 1, meanY: 9 }]);
    expect(arms).toMatchObject({ outcomes: 1, droppedPreExposure: 0, variantConflicts: 0 });
  });

  test("drops and counts outcomes under another variant; null and '' are not a conflict", async () => {
    const outcomes = ["a", "b", null, ""].map((variant) => ({ ...call(1, 5), variant }));
    const arms = await armsOf([exposure, ...outcomes]);
    expect(sums(arms, "latency")).toMatchObject([{ events: 3 }]);
    expect(arms).toMatchObject({ outcomes: 3, droppedPreExposure: 0, variantConflicts: 1 });
  });

  test("ignores an exposure without a variant, so the user's outcomes come before any exposure", async () => {
    const arms = await armsOf([{ variant: null }, { variant: "" }, call(1, 5), buy(1, 5)]);
    expect(arms).toEqual({
      exposures: [],
      metrics: [],
      outcomes: 0,
      droppedPreExposure: 2,
      variantConflicts: 0,
      firstExposureAt: null,
    });
  });

  test("does not count missing values as zero", async () => {
    const arms = await armsOf([exposure, { ...call(0, 1), latencyMs: null }, call(4, 2), call(0, 3)]);
    expect(sums(arms, "latency")).toMatchObject([{ users: 1, events: 2, meanY: 4 }]);
  });

  test("counts users without outcomes as zeros, except in a ratio", async () => {
    const arms = await armsOf([exposure, { ...exposure, userId: "silent" }, call(4, 2), buy(6, 2)]);
    expect(sums(arms, "latency")).toMatchObject([{ users: 1, meanY: 4 }]);
    expect(sums(arms, "revenue")).toMatchObject([{ users: 2, events: 1, meanY: 3 }]);
    expect(sums(arms, "bought")).toMatchObject([{ users: 2, events: 2, meanY: 0.5 }]);
  });

  test("counts only within a window, and only users whose window is over", async () => {
    const arms = await armsOf(
      [
        exposure,
        buy(1, 2 * DAY_MS - 1),
        buy(10, 2 * DAY_MS),
        { ...exposure, userId: "just over", occurredAt: T0 + DAY_MS },
        { ...exposure, userId: "not over", occurredAt: T0 + DAY_MS + 1 },
        { userId: "not over", ...buy(99, DAY_MS + 2) },
      ],
      { until: T0 + 3 * DAY_MS, metrics: [{ ...revenue, windowDays: 2 }] },
    );
    expect(sums(arms, "revenue")).toMatchObject([{ users: 2, events: 1, meanY: 0.5 }]);
  });

  test("caps only a mean's sum per user, and only from above", async () => {
    const events = [
      { ...exposure, userId: "u1" },
      { userId: "u1", ...buy(4, 1) },
      { userId: "u1", ...buy(4, 2) },
      { ...exposure, userId: "u2" },
      { userId: "u2", ...buy(-7, 1) },
      { ...exposure, userId: "u3" },
      { userId: "u3", ...buy(3, 1) },
    ];
    const kinds = (["mean", "ratio"] as const).map((kind) => ({ ...revenue, name: kind, kind, cap: 6 }));
    const arms = await armsOf(events, { metrics: kinds });
    expect(sums(arms, "mean")).toMatchObject([{ users: 3, events: 4, meanY: expect.closeTo(2 / 3, 12) }]);
    expect(sums(arms, "ratio")).toMatchObject([{ users: 3, events: 4, meanY: expect.closeTo(4 / 3, 12) }]);
  });

  test("answers for an experiment without events", async () => {
    expect(await armsOf([])).toEqual({
      exposures: [],
      metrics: [],
      outcomes: 0,
      droppedPreExposure: 0,
      variantConflicts: 0,
      firstExposureAt: null,
    });
  });

  test("answers without metrics", async () => {
    const arms = await armsOf([exposure, call(1, 1)], { metrics: [] });
    expect(arms).toMatchObject({ exposures: [{ users: 1 }], metrics: [] });
  });

  test("keeps small differences of large values, and survives values near a double's limit", async () => {
    const large = await armsOf([
      { userId: "u1", variant: "a" },
      { userId: "u1", ...buy(1e9 + 1, 1) },
      { userId: "u2", variant: "a" },
      { userId: "u2", ...buy(1e9 + 3, 1) },
    ]);
    expect(large.metrics.find(({ metric }) => metric === "revenue")).toMatchObject({
      meanY: 1e9 + 2,
      m2Y: 2,
    });
    const huge = await armsOf([
      { userId: "u1", variant: "a" },
      { userId: "u1", ...buy(1e300, 1) },
      { userId: "u2", variant: "a" },
      { userId: "u2", ...buy(-1.7e308, 1) },
      { userId: "u2", ...buy(-1.7e308, 2) },
    ]);
    expect(huge.metrics.find(({ metric }) => metric === "bought")).toMatchObject({ users: 2, meanY: 1 });
    expect(huge.metrics.find(({ metric }) => metric === "revenue")).toMatchObject({
      users: 2,
      m2Y: Number.NaN,
    });
  });
}
