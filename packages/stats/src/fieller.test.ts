import { describe, expect, test } from "vitest";
import { fieller } from "./fieller.ts";

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
