import { randomUUID } from "node:crypto";
import {
  type AnalysisQuery,
  type ArmSnapshot,
  DAY_MS,
  type EventStore,
  type StoredEvent,
  type UserBins,
  type UserValues,
} from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { METRICS, someMetrics } from "./arm-metrics.ts";
import { type ReferenceSnapshot, referenceArms } from "./reference-arms.ts";
import { leftOf, sent, someExclusions } from "./reference-exclusions.ts";
import type { ReferenceVector } from "./reference-metric.ts";
import { someEvent, unsampled } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Tests all rules together on random events, and that equal events give equal answers. */
export function describeArmAnalysis(storeOf: () => EventStore, share = 1): void {
  test("matches a plain reference implementation of the rules on random events", async () => {
    const property = fc.asyncProperty(
      fc.array(someEvent, { maxLength: 80 }),
      fc.oneof(fc.constant(200), fc.integer({ min: 1, max: 130 })),
      fc.uniqueArray(fc.integer({ min: 0, max: 72 }), { maxLength: 3 }),
      fc.constantFrom(null, 1, 14),
      someMetrics,
      someExclusions,
      fc.boolean(),
      async (fields, hoursSeen, periodHours, preDays, metrics, exclusions, isSampled) => {
        const orgId = randomUUID();
        const events = sent(isSampled ? fields : unsampled(fields)).map((field) =>
          storedEvent({ ...field, orgId }),
        );
        await storeOf().append([...events, ...events.slice(0, 5)]);
        const query: AnalysisQuery = {
          orgId,
          experimentId: "exp",
          unit: "user",
          exclusions,
          until: T0 + hoursSeen * HOUR_MS,
          periodStarts: periodHours.sort((a, b) => a - b).map((hours) => T0 + hours * HOUR_MS),
          metrics,
          prices: PRICES,
          sample: preDays === null ? null : { maxUsersPerArm: 100, preDays },
        };
        const left = leftOf(events, [{ experimentId: "exp", matches: exclusions }]);
        const arms = await storeOf().loadArms(query);
        expectSameArms(arms, referenceArms(left, query));
        // In a run, events after `until` only count as facts.
        const facts = { factsUntil: query.until + 30 * DAY_MS, configuredModels: {} };
        expect((await storeOf().loadRun({ ...query, ...facts })).arms).toEqual(arms);
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(25 * share) });
  });

  test("reads the weights only of a sampled experiment, and where all are 1 they change no bit", async () => {
    const orgId = randomUUID();
    const fields = unsampled(fc.sample(someEvent, { numRuns: 300, seed: 5 }));
    await storeOf().append(
      fields.map((event, i) => storedEvent({ ...event, orgId, userId: `u${i % 60}`, latencyMs: i / 7 })),
    );
    const query = {
      ...{ ...wholeExperiment(orgId), until: T0 + 90 * DAY_MS, periodStarts: [T0 + DAY_MS] },
      ...{ metrics: METRICS, prices: PRICES, sample: { maxUsersPerArm: 40, preDays: 14 } },
    };
    const before = await storeOf().loadArms(query);
    const sampled = { userId: "nobody exposed", samplingProbability: 0.1 };
    await storeOf().append([storedEvent({ ...sampled, orgId, type: "model_call", latencyMs: 1 })]);
    const after = await storeOf().loadArms(query);
    expect(before.metrics.length).toBeGreaterThan(20);
    expect(after).toEqual({ ...before, droppedPreExposure: before.droppedPreExposure + 1 });
  });

  test("gives the same bits for any order and batches of the events", async () => {
    const query = {
      experimentId: "exp",
      exclusions: [],
      unit: "user" as const,
      until: T0 + 90 * DAY_MS,
      periodStarts: [T0 + DAY_MS],
      metrics: METRICS,
      prices: PRICES,
      sample: { maxUsersPerArm: 40, preDays: 14 },
    };
    const fields = fc.sample(someEvent, { numRuns: 900, seed: 7 }).map((event, i) =>
      storedEvent({
        ...event,
        eventId: `e${i}`,
        userId: `u${i % 190}`,
        value: Math.sin(i),
        latencyMs: i / 7,
      }),
    );
    // Both use one org: another org's users would be on other shards.
    const orgId = randomUUID();
    const experiments = new Set(fields.map(({ experimentId }) => experimentId));
    const load = async (batches: readonly (readonly StoredEvent[])[]) => {
      for (const experimentId of experiments) await storeOf().removeExperiment(orgId, experimentId);
      for (const batch of batches)
        await storeOf().appendUnmetered(batch.map((event) => ({ ...event, orgId })));
      return storeOf().loadArms({ ...query, orgId });
    };
    const whole = await load([fields]);
    const parts = [3, 1, 4, 0, 2].map((part) => fields.filter((_, i) => i % 5 === part).reverse());
    const pieces = await load([...parts, ...parts]);
    expect(whole.metrics.length).toBeGreaterThan(40);
    expect(pieces).toEqual(whole);
  });
}

/** Asserts that a snapshot equals the reference's, with users in any order. */
export function expectSameArms(actual: ArmSnapshot, expected: ReferenceSnapshot): void {
  const close = (value: number) => expect.closeTo(value, 6);
  const listed = actual.metrics.map((row) => ({ ...row, sample: toSortedVector(toVector(row.sample)) }));
  expect({ ...actual, metrics: listed }).toEqual({
    ...expected,
    metrics: expected.metrics.map((row) => ({
      ...row,
      meanY: close(row.meanY),
      m2Y: close(row.m2Y),
      meanD: close(row.meanD),
      m2D: close(row.m2D),
      cYD: close(row.cYD),
      sample: toSortedVector(row.sample),
    })),
  });
}

function toVector(sample: UserValues | UserBins | null): ReferenceVector | null {
  if (sample === null) return null;
  if (sample.type === "values") {
    const { y, d, preY, preD } = sample;
    const at = (values: Float64Array, i: number) => values[i] ?? 0;
    return { type: "values", users: [...y].map((own, i) => [own, at(d, i), at(preY, i), at(preD, i)]) };
  }
  const { bins, counts, offsets } = sample;
  const users = [...offsets.slice(1)].map((end, i) => {
    const start = offsets[i] ?? 0;
    return [...bins.slice(start, end)].map((bin, j) => [bin, counts[start + j] ?? 0] as const);
  });
  return { type: "bins", users };
}

/** The reference has no hashes, so users are compared as a set. */
function toSortedVector(vector: ReferenceVector | null) {
  return vector && { type: vector.type, users: vector.users.map((user) => JSON.stringify(user)).sort() };
}
