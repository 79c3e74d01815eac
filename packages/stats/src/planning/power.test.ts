import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalSf } from "../distributions/normal.ts";
import { minimumDetectableEffect, powerOf } from "./power.ts";

const positive = fc.double({ min: 1e-3, max: 1e3, noNaN: true });

describe("minimumDetectableEffect", () => {
  test("is rejected four times out of five", () => {
    const effect = minimumDetectableEffect(2);
    expect(normalSf(1.959963984540054 - effect / 2)).toBeCloseTo(0.8, 12);
  });

  test.each([
    { name: "α .05, power .8", target: {}, standardErrors: 2.801585218112969 },
    { name: "α .05 / 10 rows", target: { alpha: 0.005 }, standardErrors: 3.648655001916725 },
    { name: "α .05, power .9", target: { power: 0.9 }, standardErrors: 3.2415155500846544 },
  ])("takes $name", ({ target, standardErrors }) => {
    expect(minimumDetectableEffect(0.5, target)).toBeCloseTo(standardErrors / 2, 12);
  });
});

describe("powerOf", () => {
  test("agrees with R: effect .3 of unit variance, 80 users per arm", () => {
    const power = powerOf({ effect: 0.3, standardError: Math.sqrt(2 / 80), alpha: 0.05 });
    expect(power / 0.475100870572638).toBeCloseTo(1, 11);
  });

  test("is the level without an effect", () => {
    expect(powerOf({ effect: 0, standardError: 1 })).toBeCloseTo(0.05, 12);
    expect(powerOf({ effect: 0, standardError: 1, alpha: 0.01 })).toBeCloseTo(0.01, 12);
  });

  test("ignores the sign, and equals the requested power at the detectable effect", () => {
    fc.assert(
      fc.property(
        positive,
        positive,
        fc.double({ min: 0.5, max: 0.99, noNaN: true }),
        (effect, se, power) => {
          expect(powerOf({ effect, standardError: se })).toBeCloseTo(
            powerOf({ effect: -effect, standardError: se }),
            12,
          );
          const found = powerOf({ effect: minimumDetectableEffect(se, { power }), standardError: se });
          expect(found).toBeGreaterThanOrEqual(power - 1e-12);
          expect(found).toBeLessThan(power + 1e-3);
        },
      ),
    );
  });
});
