import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { bettingInterval } from "./betting-interval.ts";

const ones = (n: number) => new Float64Array(n).fill(1);

describe("bettingInterval", () => {
  test("has a width even when all values agree, close to the exact bound for zero disagreements of n", () => {
    for (const n of [50, 100, 400]) {
      const [low, high] = bettingInterval(ones(n));
      // Clopper & Pearson: 1 − .025^(1 / n).
      expect(low).toBeLessThan(0.025 ** (1 / n));
      expect(1 - low).toBeLessThan(2 * (1 - 0.025 ** (1 / n)));
      expect(high).toBeGreaterThan(1 - 1e-5);
    }
  });

  /**
   * The smallest mean that the hedged capital, multiplied out, does not refute (Waudby-Smith & Ramdas 2024, eq. 24-26). Bets follow
   * the variance so far and risk at most .9 of the capital.
   */
  function lowest(values: readonly number[]): number {
    const n = values.length;
    const isRefuted = (mean: number) => {
      let capital = 1;
      return values.some((value, i) => {
        const before = values.slice(0, i);
        let squares = 1 / 4;
        before.forEach((own, j) => {
          const meanSoFar = (1 / 2 + before.slice(0, j + 1).reduce((a, b) => a + b, 0)) / (j + 2);
          squares += (own - meanSoFar) ** 2;
        });
        const bet = Math.sqrt((2 * Math.log(2 / 0.05)) / (n * (squares / (i + 1))));
        capital *= 1 + Math.min(bet, 0.9 / mean) * (value - mean);
        return capital >= 2 / 0.05;
      });
    };
    let [low, high] = [0, values.reduce((a, b) => a + b, 0) / n];
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (isRefuted(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  const uniform = createUniform(11);
  test.each([
    { name: "all 1", values: Array(40).fill(1) },
    { name: "mostly 1", values: Array.from({ length: 60 }, (_, i) => Number(i % 9 > 0)) },
    { name: "half 1", values: Array.from({ length: 40 }, (_, i) => i % 2) },
    { name: "shares", values: Array.from({ length: 50 }, () => uniform() ** 2) },
  ])("matches the multiplied-out capital to a millionth: $name", ({ values }) => {
    const [low, high] = bettingInterval(Float64Array.from(values));
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const step = mean / 2 ** 20;
    expect(low).toBeLessThanOrEqual(lowest(values) + 1e-9);
    expect(low).toBeGreaterThan(lowest(values) - step - 1e-9);
    // Halved twenty times.
    expect(Math.abs(low / step - Math.round(low / step))).toBeLessThan(1e-6);
    expect(1 - high).toBeCloseTo(lowest(values.map((value) => 1 - value)), 5);
  });

  test("mirrors", () => {
    const uniform = createUniform(3);
    const values = Float64Array.from({ length: 80 }, () => uniform() ** 3);
    const [low, high] = bettingInterval(values);
    const [mirroredLow, mirroredHigh] = bettingInterval(values.map((value) => 1 - value));
    expect(mirroredLow).toBeCloseTo(1 - high, 5);
    expect(mirroredHigh).toBeCloseTo(1 - low, 5);
  });

  test("is [0, 1] without values", () => {
    expect(bettingInterval(new Float64Array())).toEqual([0, 1]);
  });

  test.each([0.5, 0.95, 0.98])("holds a rate of %d in at least 95 %% of samples of 50", (rate) => {
    const uniform = createUniform(7);
    let missed = 0;
    for (let k = 0; k < 1_000; k++) {
      const [low, high] = bettingInterval(Float64Array.from({ length: 50 }, () => Number(uniform() < rate)));
      missed += Number(rate < low || rate > high);
    }
    expect(missed).toBeLessThan(50);
  });
});
