import { randomUUID } from "node:crypto";
import { costOf, DAY_MS, type EventStore, priceFor, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { latency } from "./arm-metrics.ts";
import { MODELS, PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const cost = { ...latency, name: "cost", source: { event: "model_call", field: "cost_usd" } } as const;

const someTokens = fc.constantFrom(null, 0, 1, 12, 345, 6_789, 1_000_003);
const someUsage = fc.record({
  model: fc.constantFrom(...MODELS, null),
  inputTokens: someTokens,
  cachedInputTokens: someTokens,
  cacheWrite5mTokens: someTokens,
  cacheWrite1hTokens: someTokens,
  audioInputTokens: someTokens,
  outputTokens: someTokens,
  reasoningTokens: someTokens,
  audioOutputTokens: someTokens,
  serviceTier: fc.constantFrom(null, "flex", "other"),
});
/** Prices with products that a double cannot represent exactly. */
const UNEVEN = PRICES.map((price, i) => ({
  ...price,
  inputUsdPerMillion: 0.15 + i,
  outputUsdPerMillion: 0.6 / (i + 1),
  cachedInputUsdPerMillion: i % 2 === 0 ? 0.07 : null,
  cacheWrite5mUsdPerMillion: i % 3 === 0 ? 0.19 : null,
  audioOutputUsdPerMillion: i % 3 === 1 ? 7.7 : null,
}));

/** Tests the cost of calls that report none. */
export function describeCallCosts(storeOf: () => EventStore, share = 1): void {
  /** Stores one call per user and lists the store's costs, in no order. */
  async function costsOf(
    calls: readonly Partial<StoredEvent>[],
    prices = UNEVEN,
  ): Promise<readonly number[]> {
    const orgId = randomUUID();
    const events = calls.flatMap((call, i) => [
      storedEvent({ orgId, userId: `u${i}`, variant: "a" }),
      storedEvent({ orgId, userId: `u${i}`, type: "model_call", ...call }),
    ]);
    await storeOf().append(events);
    const { metrics } = await storeOf().loadArms({
      ...wholeExperiment(orgId),
      until: T0 + DAY_MS,
      periodStarts: [],
      metrics: [cost],
      prices,
      sample: { maxUsersPerArm: 1_000, preDays: 1 },
    });
    const sample = metrics[0]?.sample;
    return sample?.type === "values" ? [...sample.y].sort() : [];
  }

  test("equal the domain's to the last bit, and are missing where it computes none", async () => {
    const property = fc.asyncProperty(
      fc.array(someUsage, { minLength: 1, maxLength: 60 }),
      async (usages) => {
        const expected = usages.flatMap((usage) => {
          const price = priceFor(UNEVEN, usage.model ?? "", usage.serviceTier);
          return (price && costOf(usage, price)) ?? [];
        });
        expect(await costsOf(usages)).toEqual(expected.sort());
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(12 * share) });
  });

  test("are the reported cost if there is one, even 0", async () => {
    const usage = { model: "full", inputTokens: 1_000_000, outputTokens: 0 };
    expect(await costsOf([usage, { ...usage, costUsd: 9 }, { ...usage, costUsd: 0 }])).toEqual([0, 0.15, 9]);
  });

  test("are missing without prices, and for a failed call without tokens", async () => {
    const usage = { model: "full", inputTokens: 10, outputTokens: 10 };
    expect(await costsOf([usage], [])).toEqual([]);
    expect(await costsOf([{ model: "full", error: true }])).toEqual([]);
  });
}
