import { randomUUID } from "node:crypto";
import {
  type BaselineQuery,
  DAY_MS,
  dayOf,
  type EventStore,
  POOLED_CAP,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { latency, revenue, someMetrics } from "./arm-metrics.ts";
import { referenceBaseline } from "./reference-baseline.ts";
import { leftOf, sent, someExclusions } from "./reference-exclusions.ts";
import { someEvent, unsampled } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0 } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Tests the metric statistics of an org's users over all experiments. */
export function describeBaseline(storeOf: () => EventStore, share = 1): void {
  async function baselineOf(events: readonly Partial<StoredEvent>[], query: Partial<BaselineQuery> = {}) {
    const orgId = randomUUID();
    await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
    return storeOf().loadBaseline({
      orgId,
      from: T0,
      until: T0 + 28 * DAY_MS,
      metrics: [latency, revenue],
      prices: [],
      exclusions: [],
      ...query,
    });
  }
  const buy = (value: number, at: number): Partial<StoredEvent> => ({
    type: "business_event",
    businessMetric: "revenue",
    value,
    occurredAt: T0 + at,
  });

  test("matches a plain reference implementation of the rules on random events", async () => {
    const property = fc.asyncProperty(
      fc.array(someEvent, { maxLength: 80 }),
      fc.integer({ min: -24, max: 24 }),
      fc.integer({ min: 1, max: 80 }),
      someMetrics,
      fc.tuple(someExclusions, someExclusions),
      fc.boolean(),
      async (fields, fromHours, hours, metrics, [ofExp, ofOther], isSampled) => {
        const orgId = randomUUID();
        const exclusions = [
          { experimentId: "exp", matches: ofExp },
          { experimentId: "other", matches: ofOther },
        ];
        const events = sent(isSampled ? fields : unsampled(fields)).map((field) =>
          storedEvent({ ...field, orgId }),
        );
        await storeOf().append([...events, ...events.slice(0, 5)]);
        const from = T0 + fromHours * HOUR_MS;
        const query: BaselineQuery = {
          orgId,
          from,
          until: from + hours * HOUR_MS,
          metrics,
          prices: PRICES,
          exclusions,
        };
        const expected = referenceBaseline(leftOf(events, exclusions), query);
        const close = (value: number) => expect.closeTo(value, 6);
        expect(await storeOf().loadBaseline(query)).toEqual({
          ...expected,
          metrics: expected.metrics.map((row) => ({
            ...row,
            meanY: close(row.meanY),
            m2Y: close(row.m2Y),
            meanD: close(row.meanD),
            m2D: close(row.m2D),
            cYD: close(row.cYD),
          })),
        });
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(15 * share) });
  });

  test("includes users without an exposure, over all experiments, from the window's first instant", async () => {
    const baseline = await baselineOf([
      buy(1, -1),
      { ...buy(2, 0), experimentId: "one" },
      { ...buy(4, DAY_MS), experimentId: "two" },
      { ...buy(9, 28 * DAY_MS), experimentId: "two" },
      { ...buy(3, 5), userId: "other" },
      { ...buy(99, 5), userId: "svc-test-1" },
      { type: "exposure", variant: "a", userId: "idle", occurredAt: T0 + 2 * DAY_MS },
    ]);
    expect(baseline.metrics).toMatchObject([{ metric: "revenue", users: 3, events: 3, meanY: 3 }]);
    expect(baseline.usersByDay).toEqual(
      new Map([
        [dayOf(T0), 2],
        [dayOf(T0 + 2 * DAY_MS), 1],
      ]),
    );
  });

  test("leaves out excluded experiments", async () => {
    const query = { exceptExperimentIds: ["one", "none"] };
    const baseline = await baselineOf(
      [
        { ...buy(2, 0), experimentId: "one" },
        { ...buy(4, 0), experimentId: "two", userId: "other" },
      ],
      query,
    );
    expect(baseline.metrics).toMatchObject([{ metric: "revenue", users: 1, meanY: 4 }]);
    expect(baseline.usersByDay).toEqual(new Map([[dayOf(T0), 1]]));
  });

  test("caps at the 99.9% quantile of all users", async () => {
    const events = Array.from({ length: 2_500 }, (_, i) => ({ ...buy(i, 1), userId: `u${i}` }));
    const { metrics } = await baselineOf(events, { metrics: [{ ...revenue, cap: POOLED_CAP }] });
    const sum = (2_497 * 2_498) / 2 + 2 * 2_497;
    expect(metrics).toMatchObject([{ users: 2_500, meanY: expect.closeTo(sum / 2_500, 9) }]);
  });

  test("answers for an org without events", async () => {
    expect(await baselineOf([])).toEqual({ metrics: [], usersByDay: new Map() });
  });
}
