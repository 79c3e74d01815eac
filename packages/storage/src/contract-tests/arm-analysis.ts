import { randomUUID } from "node:crypto";
import {
  type AnalysisQuery,
  type ArmSnapshot,
  DAY_MS,
  type EventStore,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { METRICS } from "./arm-metrics.ts";
import { referenceArms } from "./reference-arms.ts";
import { storedEvent, T0 } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Few users, instants and values, so that ties, conflicts and contamination are common. */
const someEvent: fc.Arbitrary<Partial<StoredEvent>> = fc
  .record({
    type: fc.constantFrom("exposure", "exposure", "model_call", "business_event"),
    userId: fc.constantFrom("u1", "u2", "u3", "u4", "u5", "svc-test-1"),
    variant: fc.constantFrom("a", "a", "a", "b", null, ""),
    hours: fc.integer({ min: 0, max: 72 }),
    businessMetric: fc.constantFrom("revenue", "it's", "other"),
    number: fc.constantFrom(0, 1, 2.5, 7, 0.25, 123.5, null),
    sign: fc.constantFrom(1, 1, 1, -1),
    error: fc.constantFrom(true, false, null),
  })
  .map(({ type, userId, variant, hours, businessMetric, number, sign, error }) => {
    const common = { type, userId, variant, occurredAt: T0 + hours * HOUR_MS };
    if (type === "exposure") return common;
    if (type === "business_event") return { ...common, businessMetric, value: number && number * sign };
    return { ...common, latencyMs: number, costUsd: number && number / 1e3, outputTokens: number, error };
  });

/** All rules together on random events, and the same answer for the same events. */
export function describeArmAnalysis(storeOf: () => EventStore): void {
  test("computes what a plain reading of the rules computes, on random events", async () => {
    const orgId = randomUUID();
    const property = fc.asyncProperty(
      fc.array(someEvent, { maxLength: 60 }),
      fc.oneof(fc.constant(200), fc.integer({ min: 1, max: 130 })),
      fc.uniqueArray(fc.integer({ min: 0, max: 72 }), { maxLength: 3 }),
      async (fields, hoursSeen, periodHours) => {
        const experimentId = randomUUID();
        const events = fields.map((field) => storedEvent({ ...field, orgId, experimentId }));
        await storeOf().append([...events, ...events.slice(0, 5)]);
        const query: AnalysisQuery = {
          orgId,
          experimentId,
          until: T0 + hoursSeen * HOUR_MS,
          periodStarts: periodHours.sort((a, b) => a - b).map((hours) => T0 + hours * HOUR_MS),
          metrics: METRICS,
        };
        expectSameArms(await storeOf().loadArms(query), referenceArms(events, query));
      },
    );
    await fc.assert(property, { numRuns: 30 });
  }, 60_000);

  test("gives the same bits again, in whatever order and batches the events came", async () => {
    const query = {
      experimentId: "exp",
      until: T0 + 90 * DAY_MS,
      periodStarts: [T0 + DAY_MS],
      metrics: METRICS,
    };
    const fields = fc.sample(someEvent, { numRuns: 400, seed: 7 }).map((event, i) =>
      storedEvent({
        ...event,
        eventId: `e${i}`,
        userId: `u${i % 90}`,
        value: Math.sin(i),
        latencyMs: i / 7,
      }),
    );
    const load = async (batches: readonly (readonly StoredEvent[])[]) => {
      const orgId = randomUUID();
      for (const batch of batches) await storeOf().append(batch.map((event) => ({ ...event, orgId })));
      return storeOf().loadArms({ ...query, orgId });
    };
    const whole = await load([fields]);
    const pieces = await load(
      [3, 1, 4, 0, 2].map((part) => fields.filter((_, i) => i % 5 === part).reverse()),
    );
    expect(whole.metrics.length).toBeGreaterThan(10);
    expect(pieces).toEqual(whole);
  });
}

function expectSameArms(actual: ArmSnapshot, expected: ArmSnapshot): void {
  const close = (value: number) => expect.closeTo(value, 6);
  expect(actual).toEqual({
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
}
