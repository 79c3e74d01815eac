import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Moments, mergeMoments, mergeRatioMoments, type RatioMoments } from "../moments.ts";
import { fisherExact } from "./fisher-exact.ts";
import type { BinaryCounts } from "./proportions.ts";
import { ratioDelta } from "./ratio-delta.ts";
import type { TestOutcome } from "./test-outcome.ts";
import { twoProportionZ } from "./two-proportion-z.ts";
import { welchT } from "./welch-t.ts";

type User = readonly [y: number, d: number];

const momentsOf = (values: readonly number[]): Moments =>
  values.map((mean) => ({ n: 1, mean, m2: 0 })).reduce(mergeMoments);
const ratioOf = (users: readonly User[]): RatioMoments =>
  users.map(([meanY, meanD]) => ({ n: 1, meanY, meanD, m2Y: 0, m2D: 0, cYD: 0 })).reduce(mergeRatioMoments);
const welch = (control: readonly number[], treatment: readonly number[]) =>
  welchT([{ control: momentsOf(control), treatment: momentsOf(treatment) }]);
const ratio = (control: readonly User[], treatment: readonly User[]) =>
  ratioDelta([{ control: ratioOf(control), treatment: ratioOf(treatment) }]);
const proportions = (control: BinaryCounts, treatment: BinaryCounts) =>
  twoProportionZ([{ control, treatment }]);

describe("every test", () => {
  const arm = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 30 });
  const users = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 20 })), {
    minLength: 2,
    maxLength: 30,
  });
  const counts = fc
    .integer({ min: 1, max: 300 })
    .chain((n) => fc.record({ n: fc.constant(n), successes: fc.integer({ min: 0, max: n }) }));

  function expectMirrored(outcome: TestOutcome | null, swapped: TestOutcome | null): void {
    expect(swapped!.effect).toBeCloseTo(-outcome!.effect, 9);
    expect(swapped!.pValue).toBeCloseTo(outcome!.pValue, 9);
    const negated = (bound: number | null) => (bound === null ? null : expect.closeTo(-bound, 9));
    expect(swapped!.ciHigh).toEqual(negated(outcome!.ciLow));
    expect(swapped!.ciLow).toEqual(negated(outcome!.ciHigh));
  }

  test("swapping the arms flips effect and interval and keeps p", () => {
    fc.assert(fc.property(arm, arm, (a, b) => expectMirrored(welch(a, b), welch(b, a))));
    fc.assert(fc.property(users, users, (a, b) => expectMirrored(ratio(a, b), ratio(b, a))));
    fc.assert(fc.property(counts, counts, (a, b) => expectMirrored(proportions(a, b), proportions(b, a))));
    fc.assert(fc.property(counts, counts, (a, b) => expectMirrored(fisherExact(a, b), fisherExact(b, a))));
  });

  test("a change of unit scales the effect and keeps p and lift", () => {
    fc.assert(
      fc.property(arm, arm, fc.integer({ min: -60, max: 60 }), (a, b, exponent) => {
        const scale = 10 ** exponent;
        const outcome = welch(a, b)!;
        const scaled = welch(
          a.map((x) => x * scale),
          b.map((x) => x * scale),
        )!;
        expect(scaled.effect / scale).toBeCloseTo(outcome.effect, 6);
        expect(scaled.pValue).toBeCloseTo(outcome.pValue, 9);
        expect(scaled.relative.effect).toBeCloseTo(outcome.relative.effect!, 9);
      }),
    );
  });

  test("absolute and relative interval exclude 0 together, exactly when p is below .05", () => {
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        const { pValue, ciLow, ciHigh, relative } = welch(a, b)!;
        fc.pre(ciLow !== null && Math.abs(pValue - 0.05) > 1e-9);
        expect(ciLow! > 0 || ciHigh! < 0).toBe(pValue < 0.05);
        fc.pre(relative.ciLow !== null);
        expect(relative.ciLow! > 0 || relative.ciHigh! < 0).toBe(pValue < 0.05);
      }),
    );
  });

  test("no number of an outcome is NaN or infinite, whatever the values", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const wild = fc.array(value, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(wild, wild, (a, b) => {
        const { relative, ...outcome } = welch(a, b) ?? { relative: {} };
        for (const number of [...Object.values(outcome), ...Object.values(relative)]) {
          if (typeof number === "number") expect(Number.isFinite(number)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("intervals of proportions stay within -1 and 1", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const { effect, ciLow, ciHigh } = proportions(a, b)!;
        expect(-1 <= ciLow! && ciLow! <= effect && effect <= ciHigh! && ciHigh! <= 1).toBe(true);
      }),
    );
  });
});
