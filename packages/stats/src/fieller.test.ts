import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieller, fiellerFromLimits } from "./fieller.ts";

const arm = (value: number, variance: number) => ({ n: 100, value, variance });

describe("fieller", () => {
  /** scipy 1.17.1: optimize.brentq on (mT − ρ mC)² − c² (vT + ρ² vC) on either side of mT / mC, minus 1. */
  test.each([
    {
      control: arm(10, 0.25),
      treatment: arm(12, 0.36),
      c: 1.96,
      low: 0.044115969312402914,
      high: 0.3791571456840235,
    },
    { control: arm(5, 1), treatment: arm(4, 2), c: 2.1, low: -0.799886655820497, high: 0.742577282338224 },
    {
      control: arm(1, 0.2),
      treatment: arm(3, 0.1),
      c: 1.96,
      low: 0.525876752018192,
      high: 23.371913303230404,
    },
  ])(
    "$control.value against $treatment.value solves the quadratic",
    ({ control, treatment, c, low, high }) => {
      const { effect, ciLow, ciHigh } = fieller(control, treatment, c);
      expect(effect).toBeCloseTo(treatment.value / control.value - 1, 14);
      expect(ciLow! / low).toBeCloseTo(1, 11);
      expect(ciHigh! / high).toBeCloseTo(1, 11);
    },
  );

  test("survives values whose squares overflow", () => {
    const { ciLow, ciHigh } = fieller(arm(1e200, 0), arm(2e200, 0), 2);
    expect([ciLow, ciHigh]).toEqual([1, 1]);
  });

  test.each([
    { name: "no lift over zero", control: arm(0, 1), treatment: arm(1, 1), effect: null },
    { name: "no lift over a negative control", control: arm(-1, 0.01), treatment: arm(1, 1), effect: null },
    { name: "no lift that overflows", control: arm(1e-200, 0), treatment: arm(1e200, 1), effect: null },
    { name: "no interval when control may be zero", control: arm(1, 0.5), treatment: arm(2, 0.1), effect: 1 },
    { name: "no interval that overflows", control: arm(1e-200, 0), treatment: arm(2e-200, 1e300), effect: 1 },
  ])("gives $name", ({ control, treatment, effect }) => {
    expect(fieller(control, treatment, 1.96)).toEqual({ effect, ciLow: null, ciHigh: null });
  });

  test("gives no interval whose upper bound overflows", () => {
    const { effect, ciLow, ciHigh } = fieller(arm(1e-200, 0), arm(1e107, 8.1e215), 1.96);
    expect(effect! / 1e307).toBeCloseTo(1, 9);
    expect([ciLow, ciHigh]).toEqual([null, null]);
  });

  test("gives no interval without a critical value", () => {
    expect(fieller(arm(2, 0), arm(3, 0), null)).toEqual({ effect: 0.5, ciLow: null, ciHigh: null });
  });
});

describe("fiellerFromLimits", () => {
  const limits = (value: number, down: number, up: number) => ({ value, down, up });

  /** Bisection in Python 3 on (pT − ρ pC)² − dT² − ρ² dC² with the distances of each side, minus 1. */
  test.each([
    {
      name: "distances of its own on each side",
      control: limits(0.1, 0.02, 0.025),
      treatment: limits(0.12, 0.03, 0.035),
      low: -0.16542114902640193,
      high: 0.6860093653428403,
    },
    {
      name: "a control whose upper limit is more than twice its value",
      control: limits(0.01, 0.006, 0.015),
      treatment: limits(0.03, 0.01, 0.012),
      low: 0.08711915483253874,
      high: 6.875,
    },
  ])("solves the quadratic with $name", ({ control, treatment, low, high }) => {
    const { effect, ciLow, ciHigh } = fiellerFromLimits(control, treatment);
    expect(effect).toBeCloseTo(treatment.value / control.value - 1, 14);
    expect(ciLow! / low).toBeCloseTo(1, 10);
    expect(ciHigh! / high).toBeCloseTo(1, 10);
  });

  test("is Fieller's interval when the limits are symmetric", () => {
    const positive = fc.double({ min: 0.1, max: 10, noNaN: true });
    const variance = fc.double({ min: 1e-4, max: 1, noNaN: true });
    fc.assert(
      fc.property(positive, positive, variance, variance, (c, t, vC, vT) => {
        const own = fieller(arm(c, vC), arm(t, vT), 1.96);
        fc.pre(own.ciLow !== null);
        const half = (v: number) => 1.96 * Math.sqrt(v);
        const same = fiellerFromLimits(limits(c, half(vC), half(vC)), limits(t, half(vT), half(vT)));
        expect(same.ciLow! / own.ciLow!).toBeCloseTo(1, 6);
        expect((1 + same.ciHigh!) / (1 + own.ciHigh!)).toBeCloseTo(1, 6);
      }),
    );
  });

  test.each([
    { name: "no lift over zero", control: limits(0, 0, 0.1), treatment: limits(0.5, 0.1, 0.1), effect: null },
    {
      name: "no bound when control may be zero",
      control: limits(0.1, 0.1, 0.1),
      treatment: limits(0.5, 0.1, 0.1),
      effect: 4,
    },
  ])("has $name", ({ control, treatment, effect }) => {
    const lift = fiellerFromLimits(control, treatment);
    if (effect === null) expect(lift.effect).toBeNull();
    else expect(lift.effect).toBeCloseTo(effect, 12);
    expect([lift.ciLow, lift.ciHigh]).toEqual([null, null]);
  });

  test("a treatment of zero is a loss of everything, with an upper bound", () => {
    const { effect, ciLow, ciHigh } = fiellerFromLimits(limits(0.1, 0.02, 0.02), limits(0, 0, 0.01));
    expect([effect, ciLow]).toEqual([-1, -1]);
    expect(ciHigh).toBeGreaterThan(-1);
    expect(ciHigh).toBeLessThan(0);
  });
});
