import { describe, expect, test } from "vitest";
import { compareLifts } from "./compare-lifts.ts";

type Lift = Parameters<typeof compareLifts>[0][number];
const lift = (effect: number | null, low: number | null, high: number | null, metric = "m"): Lift => ({
  ...{
    metric,
    metricVersion: 1,
    desired: "increase",
    relativeEffect: effect,
    relativeCiLow: low,
    relativeCiHigh: high,
  },
});
const compare = (now: readonly Lift[], then: readonly Lift[], isFinal = true) =>
  compareLifts(now, then, { isFinal });

describe("a lift", () => {
  test("is compared by both intervals, each by its side towards the other", () => {
    const [change] = compare([lift(0.02, 0.01, 0.06)], [lift(0.1, 0.07, 0.11)]);
    expect(change).toMatchObject({ metric: "m", liftThen: 0.1, liftNow: 0.02 });
    expect(change!.change).toBeCloseTo(-0.08);
    expect(change!.ciLow).toBeCloseTo(-0.08 - Math.hypot(0.01, 0.01));
    expect(change!.ciHigh).toBeCloseTo(-0.08 + Math.hypot(0.04, 0.03));
  });

  test.each([
    { now: lift(0.02, -0.01, 0.05), verdict: "smaller" },
    { now: lift(0.2, 0.18, 0.22), verdict: "larger" },
    { now: lift(0.09, 0.06, 0.12), verdict: "no-difference" },
    { now: lift(0.1, 0.08, 0.12), verdict: "no-difference" },
  ])("of $now.relativeEffect after 0.1 is $verdict", ({ now, verdict }) => {
    const then = lift(0.1, 0.08, 0.12);
    const [change] = compare([now], [then]);
    expect(change!.verdict).toBe(verdict);
    // The test and the interval agree.
    expect(change!.pValue < 0.05).toBe(change!.ciLow > 0 || change!.ciHigh < 0);
    expect(compare([now], [then], false)[0]!.verdict).toBeNull();
  });

  test("of a metric that should fall became smaller when it falls by less", () => {
    const cost = (effect: number) => ({
      ...lift(effect, effect - 0.01, effect + 0.01),
      desired: "decrease" as const,
    });
    expect(compare([cost(-0.1)], [cost(-0.2)])[0]).toMatchObject({ verdict: "smaller" });
    expect(compare([cost(-0.3)], [cost(-0.2)])[0]).toMatchObject({ verdict: "larger" });
    expect(compare([cost(-0.1)], [cost(-0.2)])[0]!.change).toBeCloseTo(0.1);
  });

  test("on the edge of the interval has a p-value of 5%", () => {
    const [change] = compare([lift(0.1, 0.04, 0.2)], [lift(0, -0.1, 0.08)]);
    expect(change!.ciLow).toBeCloseTo(0, 12);
    expect(change!.pValue).toBeCloseTo(0.05, 12);
  });

  test("of several metrics is corrected over them", () => {
    const names = ["a", "b", "c", "d"];
    const now = names.map((metric, i) => lift(i === 0 ? 0.06 : 0.1, 0.04, 0.16, metric));
    const then = names.map((metric) => lift(0.1, 0.09, 0.11, metric));
    const [first, ...others] = compare([{ ...now[0]!, relativeCiHigh: 0.093 }, ...now.slice(1)], then);
    expect(first!.pValue).toBeLessThan(0.05);
    expect(first!.pValueFdr).toBeCloseTo(4 * first!.pValue);
    expect(first!.verdict).toBe("no-difference");
    expect(others.map(({ pValue }) => pValue)).toEqual([1, 1, 1]);
  });

  test.each([
    { what: "that had no row then", now: lift(0.1, 0, 0.2), before: [] },
    { what: "without one now", now: lift(null, null, null), before: [lift(0.1, 0, 0.2)] },
    { what: "without one then", now: lift(0.1, 0, 0.2), before: [lift(null, null, null)] },
    { what: "without a lower bound", now: lift(0.1, null, 0.2), before: [lift(0.1, 0, 0.2)] },
    { what: "without an upper bound", now: lift(0.1, 0, null), before: [lift(0.1, 0, 0.2)] },
    {
      what: "that meant another thing then",
      now: lift(0.1, 0, 0.2),
      before: [{ ...lift(0.1, 0, 0.2), metricVersion: 2 }],
    },
  ])("of a metric $what is compared with nothing", ({ now, before }) => {
    expect(compare([now], before)).toEqual([]);
  });
});
