import fc from "fast-check";
import { expect, test } from "vitest";
import { normalQuantile } from "./distributions/normal.ts";
import { alwaysValid } from "./sequential.ts";

/** Equation 9 of Waudby-Smith et al. 2021 and its e-value as printed, with rho² instead of the mixture's precision. */
function printed(effect: number, standardError: number, n: number) {
  const rho2 = (-2 * Math.log(0.05) + Math.log(1 - 2 * Math.log(0.05))) / 5000;
  const s = standardError * Math.sqrt(n);
  const inner = ((2 * (n * rho2 + 1)) / (n * n * rho2)) * Math.log(Math.sqrt(n * rho2 + 1) / 0.05);
  const z = effect / standardError;
  const e = Math.exp((rho2 * n * z * z) / (2 * (n * rho2 + 1))) / Math.sqrt(n * rho2 + 1);
  return { half: s * Math.sqrt(inner), pValue: Math.min(1, 1 / e) };
}

test.each([
  [0.3, 0.1, 400],
  [-2, 0.5, 5000],
  [0.01, 0.1, 100_000],
  [1, 1e-6, 20],
])("effect %d with standard error %d of %d users follows the printed formula", (effect, standardError, n) => {
  const { half, pValue } = printed(effect, standardError, n);
  const valid = alwaysValid({ effect, standardError, n });
  expect(valid.ciHigh - effect).toBeCloseTo(half, 10);
  expect(effect - valid.ciLow).toBeCloseTo(half, 10);
  expect(valid.pValue / Math.max(1e-300, pValue)).toBeCloseTo(1, 9);
});

test("excludes 0 exactly when its p-value is below .05, and is wider than the fixed interval", () => {
  const positive = (max: number) => fc.double({ min: 1e-3, max, noNaN: true });
  fc.assert(
    fc.property(positive(10), positive(10), fc.integer({ min: 2, max: 1e7 }), (effect, standardError, n) => {
      const { ciLow, ciHigh, pValue } = alwaysValid({ effect, standardError, n });
      fc.pre(Math.abs(pValue - 0.05) > 1e-9);
      expect(ciLow > 0).toBe(pValue < 0.05);
      expect(ciHigh - effect).toBeGreaterThan(normalQuantile(0.975) * standardError);
    }),
  );
});
