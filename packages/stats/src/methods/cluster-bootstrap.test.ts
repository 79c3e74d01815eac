import { describe, expect, test } from "vitest";
import { fineBin } from "../histogram.ts";
import { momentsOf, ratioMomentsOf } from "../moments.ts";
import { createUniform } from "../random.ts";
import { bootstrapMean, bootstrapQuantile, bootstrapRatio } from "./bootstrap-functional.ts";
import { clusterBootstrap } from "./cluster-bootstrap.ts";
import { clusterQuantile } from "./cluster-quantile.ts";
import { onceEach, poissonMultiplicities } from "./multiplicities.ts";
import { ratioDelta } from "./ratio-delta.ts";
import { welchT } from "./welch-t.ts";

const uniform = createUniform(21);
const draw = (n: number, scale = 1) =>
  Float64Array.from({ length: n }, () => -scale * Math.log(1 - uniform()));
const bootstrapMeans = (control: Float64Array, treatment: Float64Array, replicates = 999) =>
  clusterBootstrap([{ control, treatment }], { functional: bootstrapMean, replicates, seed: 5 });

describe("multiplicities", () => {
  test("are Poisson with mean 1", () => {
    const times = poissonMultiplicities(1)(200_001);
    expect(times).toHaveLength(200_001);
    let chance = Math.exp(-1);
    for (let k = 0; k <= 6; k++) {
      const count = times.filter((n) => n === k).length;
      const expected = 200_001 * chance;
      expect(Math.abs(count - expected)).toBeLessThan(4 * Math.sqrt(expected));
      chance /= k + 1;
    }
  });

  test("depend only on the seed", () => {
    expect(poissonMultiplicities(2)(50)).toEqual(poissonMultiplicities(2)(50));
    expect(poissonMultiplicities(3)(50)).not.toEqual(poissonMultiplicities(2)(50));
  });

  test("are drawn for the last of an odd number of users, too", () => {
    const last = Array.from({ length: 200 }, (_, seed) => poissonMultiplicities(seed)(3)[2]!);
    const mean = last.reduce((sum, times) => sum + times, 0) / 200;
    expect(mean).toBeGreaterThan(0.7);
    expect(mean).toBeLessThan(1.3);
  });

  test("count everyone once for the original data", () =>
    expect(onceEach(3)).toEqual(Uint8Array.of(1, 1, 1)));
});

describe("clusterBootstrap", () => {
  test("finds a rise as it finds a fall", () => {
    const [low, high] = [draw(400), draw(400, 1.5)];
    for (const outcome of [bootstrapMeans(low, high)!, bootstrapMeans(high, low)!]) {
      expect(outcome.pValue).toBeLessThan(0.01);
      expect(outcome.ciLow! > 0 || outcome.ciHigh! < 0).toBe(true);
    }
  });

  test("agrees with Welch's test on many users", () => {
    const [control, treatment] = [draw(3_000), draw(2_000, 1.06)];
    const welch = welchT([{ control: momentsOf(control), treatment: momentsOf(treatment) }])!;
    const outcome = bootstrapMeans(control, treatment, 3_999)!;
    expect(outcome).toMatchObject({
      test: "cluster_bootstrap",
      statistic: null,
      permutationsUsed: 3_999,
      isAtFloor: false,
      criticalValue: null,
      effect: expect.closeTo(welch.effect, 12),
      standardError: expect.closeTo(welch.standardError!, 12),
      relative: { effect: expect.closeTo(welch.relative.effect!, 12), ciLow: null, ciHigh: null },
    });
    expect(Math.abs(outcome.ciLow! - welch.ciLow!)).toBeLessThan(0.15 * welch.standardError!);
    expect(Math.abs(outcome.ciHigh! - welch.ciHigh!)).toBeLessThan(0.15 * welch.standardError!);
    expect(Math.abs(outcome.pValue - welch.pValue)).toBeLessThan(0.02);
  });

  test("estimates ratios and quantiles like the tests of those metrics, also over strata", () => {
    const arm = (n: number) => ({ y: draw(n), d: draw(n).map((x) => 1 + Math.floor(3 * x)) });
    const ratios = [200, 120].map((n) => ({ control: arm(n), treatment: arm(n + 30) }));
    const delta = ratioDelta(
      ratios.map(({ control, treatment }) => ({
        control: ratioMomentsOf(control),
        treatment: ratioMomentsOf(treatment),
      })),
    )!;
    const ratio = clusterBootstrap(ratios, { functional: bootstrapRatio, replicates: 99, seed: 1 })!;
    expect(ratio.effect).toBeCloseTo(delta.effect, 12);
    expect(ratio.standardError).toBeCloseTo(delta.standardError!, 12);

    const bins = (n: number) => ({
      bins: Int32Array.from(draw(n), fineBin),
      counts: new Uint32Array(n).fill(1),
      offsets: Uint32Array.from({ length: n + 1 }, (_, i) => i),
    });
    const calls = [400, 300].map((n) => ({ control: bins(n), treatment: bins(n) }));
    const test = clusterQuantile(calls, { quantile: 0.5, permutations: 99, seed: 1 })!;
    const quantile = clusterBootstrap(calls, {
      functional: bootstrapQuantile(0.5),
      replicates: 199,
      seed: 1,
    })!;
    expect(quantile.effect).toBeCloseTo(test.effect, 12);
    expect(quantile.standardError).toBeCloseTo(test.standardError!, 12);
    expect(quantile.ciHigh! - quantile.ciLow!).toBeGreaterThan(2 * quantile.standardError!);
  });

  test("excludes 0 exactly when p is at most .05", () => {
    for (let run = 0; run < 100; run++) {
      const { pValue, ciLow, ciHigh } = bootstrapMeans(draw(25), draw(30, 1 + run / 100), 199)!;
      expect(ciLow! > 0 || ciHigh! < 0).toBe(pValue <= 0.05);
    }
  });

  test("reports its floor, and gives no interval from few replicates", () => {
    expect(bootstrapMeans(draw(100), draw(100, 5), 99)).toMatchObject({ pValue: 0.02, isAtFloor: true });
    expect(bootstrapMeans(draw(100), draw(100, 5), 38)).toMatchObject({ ciLow: null, ciHigh: null });
    expect(bootstrapMeans(draw(100), draw(100, 5), 39)!.ciLow).toBeGreaterThan(0);
  });

  test("gives the same numbers for the same seed", () => {
    const strata = [{ control: draw(40), treatment: draw(40) }];
    const run = (seed: number) =>
      clusterBootstrap(strata, { functional: bootstrapMean, replicates: 199, seed });
    expect(run(1)).toEqual(run(1));
    expect(run(2)).not.toEqual(run(1));
  });

  test("an arm whose replicates often have no spread has no bound there", () => {
    const rare = Float64Array.from({ length: 40 }, (_, i) => (i === 0 ? 1 : 0));
    const outcome = bootstrapMeans(rare, new Float64Array(40), 399)!;
    expect(outcome.effect).toBe(-1 / 40);
    expect(outcome.pValue).toBeGreaterThan(0.05);
    expect(Object.values(outcome)).not.toContain(Number.NaN);
    expect([outcome.ciLow, outcome.ciHigh]).toContain(null);
  });

  test("replicates without any spread count as extreme", () => {
    const rare = Float64Array.from({ length: 40 }, (_, i) => (i === 0 ? 1 : 0));
    expect(bootstrapMeans(rare, rare, 399)).toMatchObject({
      pValue: 1,
      effect: 0,
      ciLow: null,
      ciHigh: null,
    });
  });

  test("equal arms without spread have p = 1", () => {
    const constant = (n: number) => new Float64Array(n).fill(0.1);
    expect(bootstrapMeans(constant(30), constant(40))).toMatchObject({
      pValue: 1,
      effect: 0,
      permutationsUsed: 0,
      ciLow: null,
      ciHigh: null,
      standardError: null,
    });
  });

  test.each([
    {
      name: "no strata",
      outcome: clusterBootstrap([], { functional: bootstrapMean, replicates: 99, seed: 1 }),
    },
    { name: "19 users in control", outcome: bootstrapMeans(draw(19), draw(20)) },
    { name: "19 users in treatment", outcome: bootstrapMeans(draw(20), draw(19)) },
    {
      name: "different arms without spread",
      outcome: bootstrapMeans(new Float64Array(30).fill(1), new Float64Array(30).fill(2)),
    },
    { name: "squares that overflow", outcome: bootstrapMeans(draw(30, 1e300), draw(30)) },
    { name: "no number", outcome: bootstrapMeans(draw(30).fill(Number.NaN), draw(30)) },
  ])("has no outcome for $name", ({ outcome }) => expect(outcome).toBeNull());
});
