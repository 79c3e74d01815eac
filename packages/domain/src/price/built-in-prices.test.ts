import { expect, test } from "vitest";
import { parseDay } from "../time/day.ts";
import { BUILT_IN_PRICES } from "./built-in-prices.ts";
import { mergePrices, priceFor, priceKey, priceList } from "./price-list.ts";

test("no model has two prices with the same first day", () => {
  expect(new Set(BUILT_IN_PRICES.map(priceKey)).size).toBe(BUILT_IN_PRICES.length);
});

const EMBEDDING = /embedding/;

test.each(BUILT_IN_PRICES.filter(({ model }) => EMBEDDING.test(model)))(
  "$model is the price of an embedding, which has no output",
  (price) => {
    expect(price.inputUsdPerMillion).toBeGreaterThan(0.01);
    expect(price.inputUsdPerMillion).toBeLessThan(1);
    expect(price.outputUsdPerMillion).toBe(0);
  },
);

test("Anthropic's cache writes cost more than other input", () => {
  const today = priceList(BUILT_IN_PRICES, parseDay("2026-11-21")!).prices;
  expect(priceFor(today, "claude-sonnet-4-5")).toMatchObject({
    cacheWrite5mUsdPerMillion: 3.75,
    cacheWrite1hUsdPerMillion: 6,
  });
  expect(priceFor(today, "claude-3-haiku")).toMatchObject({
    cacheWrite5mUsdPerMillion: 0.3,
    cacheWrite1hUsdPerMillion: 0.5,
  });
  expect(priceFor(today, "gpt-5")).toMatchObject({
    cacheWrite5mUsdPerMillion: null,
    cacheWrite1hUsdPerMillion: null,
  });
});

test.each(BUILT_IN_PRICES.filter(({ model }) => !EMBEDDING.test(model)))(
  "$model from $effectiveFrom on is a price of a text model",
  (price) => {
    expect(parseDay(price.effectiveFrom)).toBe(price.effectiveFrom);
    expect(price.inputUsdPerMillion).toBeGreaterThan(0);
    expect(price.outputUsdPerMillion).toBeGreaterThanOrEqual(price.inputUsdPerMillion);
    expect(price.cachedInputUsdPerMillion ?? 0).toBeLessThan(price.inputUsdPerMillion);
    // USD per million tokens: a price per token or per thousand would be far outside.
    expect(price.outputUsdPerMillion).toBeGreaterThan(0.05);
    expect(price.outputUsdPerMillion).toBeLessThan(1000);
  },
);

test("a provider's snapshot name finds its model's price of the day", () => {
  const today = priceList(mergePrices(BUILT_IN_PRICES, []), parseDay("2026-11-21")!).prices;
  expect(priceFor(today, "claude-sonnet-4-5-20250929")?.inputUsdPerMillion).toBe(3);
  expect(priceFor(today, "gpt-4o-2024-11-20")?.inputUsdPerMillion).toBe(2.5);
  expect(priceFor(today, "gpt-4o-2024-05-13")?.inputUsdPerMillion).toBe(5);
  expect(priceFor(today, "mistral-medium-latest")?.inputUsdPerMillion).toBe(1.5);
  expect(priceFor(today, "no-such-model")).toBeNull();
});
