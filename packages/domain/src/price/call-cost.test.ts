import fc from "fast-check";
import { expect, test } from "vitest";
import type { Day } from "../time/day.ts";
import { type CallTokens, costOf } from "./call-cost.ts";
import type { ModelPrice } from "./model-price.ts";

const plain: ModelPrice = {
  model: "m",
  effectiveFrom: "2026-01-01" as Day,
  inputUsdPerMillion: 2,
  cachedInputUsdPerMillion: null,
  outputUsdPerMillion: 8,
  reasoningUsdPerMillion: null,
  cacheWrite5mUsdPerMillion: null,
  cacheWrite1hUsdPerMillion: null,
  audioInputUsdPerMillion: null,
  audioOutputUsdPerMillion: null,
};
const special: ModelPrice = {
  ...plain,
  cachedInputUsdPerMillion: 0.5,
  cacheWrite5mUsdPerMillion: 2.5,
  cacheWrite1hUsdPerMillion: 4,
  audioInputUsdPerMillion: 32,
  reasoningUsdPerMillion: 10,
  audioOutputUsdPerMillion: 64,
};
const call = (inputTokens: number | null, outputTokens: number | null, more: Partial<CallTokens> = {}) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: null,
  reasoningTokens: null,
  ...more,
});

test.each<[string, CallTokens, ModelPrice, number | null]>([
  ["input and output", call(1000, 500), plain, 0.006],
  [
    "special tokens at the normal prices",
    call(1000, 500, { cachedInputTokens: 400, reasoningTokens: 100 }),
    plain,
    0.006,
  ],
  ["cached tokens at their price", call(1000, 500, { cachedInputTokens: 400 }), special, 0.0054],
  ["reasoning tokens at their price", call(1000, 500, { reasoningTokens: 100 }), special, 0.0062],
  ["tokens written for 5 minutes", call(1000, 0, { cacheWrite5mTokens: 400 }), special, 0.0022],
  ["tokens written for an hour", call(1000, 0, { cacheWrite1hTokens: 400 }), special, 0.0028],
  ["audio in the input", call(1000, 0, { audioInputTokens: 400 }), special, 0.014],
  ["audio in the output", call(0, 1000, { audioOutputTokens: 400 }), special, 0.0304],
  [
    "writes and audio without their own prices",
    call(1000, 500, {
      cacheWrite5mTokens: 1,
      cacheWrite1hTokens: 2,
      audioInputTokens: 3,
      audioOutputTokens: 4,
    }),
    plain,
    0.006,
  ],
  [
    "each part takes at most what the parts before it left",
    call(1000, 500, {
      cachedInputTokens: 400,
      cacheWrite5mTokens: 300,
      cacheWrite1hTokens: 200,
      audioInputTokens: 200,
      reasoningTokens: 400,
      audioOutputTokens: 200,
    }),
    special,
    (200 + 750 + 800 + 3200 + 4000 + 6400) / 1e6,
  ],
  [
    "a cached count above the input counts as the input",
    call(1000, 500, { cachedInputTokens: 5000 }),
    special,
    0.0045,
  ],
  [
    "a reasoning count above the output counts as the output",
    call(1000, 500, { reasoningTokens: 5000 }),
    special,
    0.007,
  ],
  ["no tokens cost nothing", call(0, 0), special, 0],
  [
    "a cache price of 0 is not a missing price",
    call(1000, 0, { cachedInputTokens: 1000 }),
    { ...special, cachedInputUsdPerMillion: 0 },
    0,
  ],
  ["unknown input", call(null, 500), plain, null],
  ["unknown output", call(1000, null), plain, null],
])("the cost of a call: %s", (_name, tokens, price, expected) => {
  const cost = costOf(tokens, price);
  if (expected === null) expect(cost).toBeNull();
  else expect(cost).toBeCloseTo(expected, 12);
});

const tokens = fc.integer({ min: 0, max: 10_000_000 });
const part = fc.option(tokens);
const usd = fc.double({ min: 0, max: 1e6, noNaN: true });
const somePrice = fc
  .record({ input: usd, cached: fc.option(usd), output: usd, reasoning: fc.option(usd) })
  .map(({ input, cached, output, reasoning }) => ({
    ...plain,
    inputUsdPerMillion: input,
    cachedInputUsdPerMillion: cached,
    outputUsdPerMillion: output,
    reasoningUsdPerMillion: reasoning,
  }));
const someCall = fc.record({
  inputTokens: tokens,
  cachedInputTokens: part,
  outputTokens: tokens,
  reasoningTokens: part,
});

test("a cost is finite, never negative and never falls with more input or output", () => {
  fc.assert(
    fc.property(someCall, somePrice, tokens, tokens, (call, price, moreInput, moreOutput) => {
      const cost = costOf(call, price) as number;
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(cost)).toBe(true);
      const larger = {
        ...call,
        inputTokens: call.inputTokens + moreInput,
        outputTokens: call.outputTokens + moreOutput,
      };
      expect(costOf(larger, price)).toBeGreaterThanOrEqual(cost);
    }),
  );
});

test("a cheaper cache never makes a call dearer", () => {
  fc.assert(
    fc.property(someCall, somePrice, part, (call, price, cached) => {
      const cheap = { ...price, cachedInputUsdPerMillion: price.inputUsdPerMillion / 10 };
      const without = costOf({ ...call, cachedInputTokens: 0 }, cheap) as number;
      expect(costOf({ ...call, cachedInputTokens: cached }, cheap)).toBeLessThanOrEqual(
        without * (1 + 1e-12),
      );
    }),
  );
});
