import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { bettingInterval } from "./betting-interval.ts";

const ones = (n: number) => new Float64Array(n).fill(1);

describe("bettingInterval", () => {
  test("has a width when all values agree, near what zero disagreements of n allow", () => {
    for (const n of [50, 100, 400]) {
      const [low, high] = bettingInterval(ones(n));
      // Clopper & Pearson: 1 − .025^(1 / n).
      expect(low).toBeLessThan(0.025 ** (1 / n));
      expect(1 - low).toBeLessThan(2 * (1 - 0.025 ** (1 / n)));
      expect(high).toBeGreaterThan(1 - 1e-5);
    }
  });

  test("mirrors", () => {
    const uniform = createUniform(3);
    const values = Float64Array.from({ length: 80 }, () => uniform() ** 3);
    const [low, high] = bettingInterval(values);
    const [mirroredLow, mirroredHigh] = bettingInterval(values.map((value) => 1 - value));
    expect(mirroredLow).toBeCloseTo(1 - high, 5);
    expect(mirroredHigh).toBeCloseTo(1 - low, 5);
  });

  test("knows nothing without values", () => {
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
