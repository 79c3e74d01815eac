import { expect, test } from "vitest";
import { binomialLogPmf } from "./binomial.ts";
import { binomialBand } from "./binomial-band.ts";

test.each([
  [2_000, 0.05, { low: 69, high: 133 }],
  [20_000, 0.001, { low: 7, high: 36 }],
  [100, 0, { low: 0, high: 0 }],
  [100, 1, { low: 100, high: 100 }],
  [3, 0.5, { low: 0, high: 3 }],
])("99.9 %% band of %d trials at %d", (n, probability, band) => {
  expect(binomialBand(n, probability, 0.999)).toEqual(band);
});

test("the 99 % band of a thousand tests at 5 %", () => {
  expect(binomialBand(1_000, 0.05, 0.99)).toEqual({ low: 33, high: 69 });
});

test("is the narrowest band whose tails do not exceed their share", () => {
  const [n, p, level] = [400, 0.07, 0.999];
  const { low, high } = binomialBand(n, p, level);
  const probability = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, k) => Math.exp(binomialLogPmf(from + k, n, p))).reduce(
      (sum, x) => sum + x,
      0,
    );
  const tail = (1 - level) / 2;
  expect(probability(0, low - 1)).toBeLessThanOrEqual(tail);
  expect(probability(0, low)).toBeGreaterThan(tail);
  expect(probability(high + 1, n)).toBeLessThanOrEqual(tail);
  expect(probability(high, n)).toBeGreaterThan(tail);
});
