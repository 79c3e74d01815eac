import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nonInferiority } from "./non-inferiority.ts";

const intervals = { test: "welch_t", ciLow: -1, ciHigh: 3, ciSeqLow: -2, ciSeqHigh: 4, isSettled: true };

describe("non-inferiority", () => {
  test.each([
    { desired: "increase", margin: 1.5, worstLoss: 1, isNotWorse: true, isNotWorseSeq: false },
    { desired: "increase", margin: 1, worstLoss: 1, isNotWorse: false, isNotWorseSeq: false },
    { desired: "increase", margin: 2.1, worstLoss: 1, isNotWorse: true, isNotWorseSeq: true },
    { desired: "decrease", margin: 3.5, worstLoss: 3, isNotWorse: true, isNotWorseSeq: false },
    { desired: "decrease", margin: 2, worstLoss: 3, isNotWorse: false, isNotWorseSeq: false },
  ] as const)(
    "at a margin of $margin when $desired is desired has $worstLoss as worst loss: $isNotWorse",
    ({ desired, margin, ...of }) => {
      expect(nonInferiority({ margin, desired }, intervals)).toEqual({ margin, ...of });
    },
  );

  test("is null without a margin", () => {
    expect(nonInferiority({ margin: null, desired: "increase" }, intervals)).toBeNull();
  });

  const unknown = { margin: 9, worstLoss: null, isNotWorse: false, isNotWorseSeq: false };
  test.each([
    { what: "without intervals", of: { ciLow: null, ciHigh: null, ciSeqLow: null, ciSeqHigh: null } },
    { what: "of arms dominated by a few users", of: { isSettled: false } },
    { what: "of a rank test, whose effect is a probability", of: { test: "mann_whitney_u" } },
  ])("$what is unknown", ({ of }) => {
    for (const desired of ["increase", "decrease"] as const)
      expect(nonInferiority({ margin: 9, desired }, { ...intervals, ...of })).toEqual(unknown);
  });

  test("a margin of 0 requires a gain", () => {
    const gain = { ...intervals, ciLow: 0.1, ciSeqLow: 0 };
    expect(nonInferiority({ margin: 0, desired: "increase" }, gain)).toEqual({
      margin: 0,
      worstLoss: -0.1,
      isNotWorse: true,
      isNotWorseSeq: false,
    });
  });

  test("is the same for a metric and its mirror", () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, fc.double({ min: 0, max: 10, noNaN: true }), (a, b, margin) => {
        const [ciLow, ciHigh] = [Math.min(a, b), Math.max(a, b)];
        const of = { ...intervals, ciLow, ciHigh, ciSeqLow: ciLow, ciSeqHigh: ciHigh };
        const mirrored = { ...of, ciLow: -ciHigh, ciHigh: -ciLow, ciSeqLow: -ciHigh, ciSeqHigh: -ciLow };
        const up = nonInferiority({ margin, desired: "increase" }, of);
        const down = nonInferiority({ margin, desired: "decrease" }, mirrored);
        expect(down?.isNotWorse).toBe(up?.isNotWorse);
        expect(down?.worstLoss).toBeCloseTo(up?.worstLoss ?? Number.NaN, 12);
      }),
    );
  });
});
