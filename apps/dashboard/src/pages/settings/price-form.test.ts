import { expect, test } from "vitest";
import { emptyPrice, toPriceRequest } from "./price-form.ts";

test("a new price holds from today in UTC", () => {
  expect(emptyPrice(Date.parse("2026-11-22T23:30:00Z")).effective_from).toBe("2026-11-22");
});

test.each([
  ["left out prices are null", Number.NaN, null],
  ["a price of nothing is one", 0, 0],
])("%s", (_name, typed, sent) => {
  const values = {
    ...emptyPrice(0),
    model: " our-model ",
    input_usd_per_million: 1,
    output_usd_per_million: 2,
    cached_input_usd_per_million: typed,
  };
  expect(toPriceRequest(values)).toEqual({
    model: "our-model",
    effective_from: "1970-01-01",
    input_usd_per_million: 1,
    output_usd_per_million: 2,
    cached_input_usd_per_million: sent,
    reasoning_usd_per_million: null,
    cache_write_5m_usd_per_million: null,
    cache_write_1h_usd_per_million: null,
    audio_input_usd_per_million: null,
    audio_output_usd_per_million: null,
  });
});
