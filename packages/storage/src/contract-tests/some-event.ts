import type { StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { MODELS } from "./some-prices.ts";
import { T0 } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Returns the events as if no sampler had chosen them. */
export function unsampled<T extends Partial<StoredEvent>>(events: readonly T[]): readonly T[] {
  return events.map((event) => ({ ...event, samplingProbability: null }));
}

/**
 * Few users, instants and values, so that ties, conflicts and contamination are common; sums of the values are exact in
 * any order. Some outcomes belong to another experiment and only count as the users' past.
 */
export const someEvent: fc.Arbitrary<Partial<StoredEvent>> = fc
  .record({
    type: fc.constantFrom("exposure", "exposure", "model_call", "business_event"),
    experimentId: fc.constantFrom("exp", "exp", "exp", "other"),
    userId: fc.constantFrom("u1", "u2", "u3", "u4", "u5", "svc-test-1"),
    variant: fc.constantFrom("a", "a", "a", "b", null, ""),
    hours: fc.integer({ min: -24, max: 72 }),
    businessMetric: fc.constantFrom("revenue", "it's", "other"),
    number: fc.constantFrom(0, 1, 2.5, 7, 0.25, 123.5, null),
    sign: fc.constantFrom(1, 1, 1, -1),
    error: fc.constantFrom(true, false, null),
    model: fc.constantFrom(...MODELS, null),
    usage: fc.record({
      inputTokens: fc.constantFrom(1_024, 4, 0, null),
      cachedInputTokens: fc.constantFrom(512, 8, 0, null),
      cacheWrite5mTokens: fc.constantFrom(256, 0, null),
      cacheWrite1hTokens: fc.constantFrom(128, 0, null),
      audioInputTokens: fc.constantFrom(64, 0, null),
      reasoningTokens: fc.constantFrom(2, 1, 0, null),
      audioOutputTokens: fc.constantFrom(1, 0, null),
      serviceTier: fc.constantFrom("flex", "other", null),
    }),
    hasCost: fc.boolean(),
    samplingProbability: fc.constantFrom(null, null, 1, 0.5, 0.125),
  })
  .map(({ type, experimentId, userId, variant, hours, businessMetric, number, sign, error, ...call }) => {
    const { samplingProbability } = call;
    const place = { experimentId, userId, variant, occurredAt: T0 + hours * HOUR_MS };
    const common = { ...place, type, samplingProbability };
    if (type === "exposure") return common;
    if (type === "business_event") return { ...common, businessMetric, value: number && number * sign };
    const { model, usage, hasCost } = call;
    const costUsd = hasCost ? number && number / 1024 : null;
    return { ...common, latencyMs: number, costUsd, outputTokens: number, error, model, ...usage };
  });
