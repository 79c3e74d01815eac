import { describe, expect, test } from "vitest";
import { type ClusteredScores, clusterError, withClusters } from "../clusters/cluster-error.ts";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import { permuteMeans, permuteRatios } from "./permutation-test.ts";
import { permuteClustered } from "./permute-clustered.ts";
import { permuteScores } from "./permute-scores.ts";

const OPTIONS = { permutations: 4_999, seed: 7, isComplete: true };

function draw(seed: number, { users = 20, unitsPerUser = 4, effect = 0 } = {}): Stratum<ClusteredScores> {
  const uniform = createUniform(seed);
  const arms = { control: [] as number[][], treatment: [] as number[][] };
  for (let user = 0; user < users; user++) {
    const level = 2 * uniform();
    for (let i = 0; i < unitsPerUser; i++) {
      const side = uniform() < 0.5 ? "control" : "treatment";
      arms[side].push([level + uniform() + (side === "treatment" ? effect : 0), 31 * user]);
    }
  }
  const arm = (units: readonly number[][]) => ({
    scores: Float64Array.from(units, (unit) => unit[0]!),
    clusters: Float64Array.from(units, (unit) => unit[1]!),
  });
  return { control: arm(arms.control), treatment: arm(arms.treatment) };
}

function scoresOf(strata: readonly Stratum<ClusteredScores>[]): Stratum<Float64Array>[] {
  return strata.map(({ control, treatment }) => ({ control: control.scores, treatment: treatment.scores }));
}

function clustersOf(strata: readonly Stratum<ClusteredScores>[]): Stratum<Float64Array>[] {
  return strata.map(({ control, treatment }) => ({
    control: control.clusters,
    treatment: treatment.clusters,
  }));
}

describe("relabeling units", () => {
  test("has the cluster-robust standard error, over strata too", () => {
    const strata = [draw(1), draw(2)];
    const { difference, standardError, statistic } = permuteClustered(strata, OPTIONS)!;
    expect(standardError).toBeCloseTo(clusterError(strata).standardError, 12);
    expect(statistic).toBeCloseTo(difference / standardError, 12);
    expect(difference).toBeCloseTo(permuteScores(scoresOf(strata), OPTIONS)!.difference, 12);
  });

  test("draws what it always drew, to the last bit", () => {
    const strata = [
      draw(11, { users: 90, effect: 0.1 }),
      draw(12, { users: 33, unitsPerUser: 3, effect: 0.1 }),
    ];
    expect(permuteClustered(strata, OPTIONS)).toEqual({
      difference: 0.13865529117279485,
      standardError: 0.05763944773996636,
      statistic: 2.4055624508812437,
      pValue: 0.0196,
      criticalValue: 2.0085574193925764,
      permutationsUsed: 4_999,
      isAtFloor: false,
      engine: "monte-carlo",
    });
  });

  test("is the permutation of users if every user has one unit", () => {
    const strata = [draw(3, { users: 60, unitsPerUser: 1, effect: 0.35 })];
    const clustered = permuteClustered(strata, OPTIONS)!;
    const plain = permuteScores(scoresOf(strata), OPTIONS)!;
    expect(clustered.statistic).toBeCloseTo(plain.statistic!, 9);
    // Other random draws: five standard errors of both.
    const error = Math.sqrt((plain.pValue * (1 - plain.pValue)) / 4_999);
    expect(Math.abs(clustered.pValue - plain.pValue)).toBeLessThan(5 * Math.SQRT2 * error);
  });

  test("only changes signs if the arms are swapped", () => {
    const { control, treatment } = draw(4, { effect: 0.3 });
    const own = permuteClustered([{ control, treatment }], OPTIONS)!;
    const swapped = permuteClustered([{ control: treatment, treatment: control }], OPTIONS)!;
    expect(swapped).toEqual({ ...own, difference: -own.difference, statistic: -own.statistic! });
  });

  test("gives an interval that excludes 0 exactly when p is at most .05", () => {
    let significant = 0;
    for (let seed = 10; seed < 40; seed++) {
      const strata = [draw(seed, { effect: 0.35 })];
      const outcome = permuteMeans(scoresOf(strata), { permutations: 199, seed }, clustersOf(strata))!;
      expect(outcome.ciLow! > 0 || outcome.ciHigh! < 0).toBe(outcome.pValue <= 0.05);
      significant += Number(outcome.pValue <= 0.05);
    }
    expect(significant).toBeGreaterThan(3);
    expect(significant).toBeLessThan(27);
  });

  test("of a ratio uses the users' error of its linearized values", () => {
    const strata = [draw(5, { effect: 0.4 })];
    const pairs = strata.map(({ control, treatment }) => ({
      control: { y: control.scores, d: control.scores.map(() => 1) },
      treatment: { y: treatment.scores, d: treatment.scores.map(() => 1) },
    }));
    const ratio = permuteRatios(pairs, OPTIONS, clustersOf(strata))!;
    const mean = permuteMeans(scoresOf(strata), OPTIONS, clustersOf(strata))!;
    expect(ratio.effect).toBeCloseTo(mean.effect, 12);
    expect(ratio.standardError).toBeCloseTo(mean.standardError!, 9);
  });

  test("has an infinite statistic if the arms have no spread, and finds it as rarely as labels separate them", () => {
    const arm = (score: number) => ({
      scores: new Float64Array(8).fill(score),
      clusters: Float64Array.from({ length: 8 }, (_, i) => i % 4),
    });
    const outcome = permuteClustered([{ control: arm(0), treatment: arm(1) }], OPTIONS)!;
    expect(outcome).toMatchObject({ statistic: null, criticalValue: null });
    // 2 of 12,870 relabelings separate them.
    expect(outcome.pValue).toBeLessThan(0.003);
  });

  test("is at its floor when no relabeling is as extreme, and only then", () => {
    const of = (effect: number) => {
      const strata = [draw(3, { effect })];
      return permuteMeans(scoresOf(strata), { permutations: 499, seed: 1 }, clustersOf(strata))!;
    };
    expect(of(9)).toMatchObject({ isAtFloor: true, pValue: 1 / 500 });
    expect(of(0).isAtFloor).toBe(false);
  });

  test("stops early when p is clearly large", () => {
    const strata = [draw(6)];
    const outcome = permuteClustered(strata, { permutations: 4_999, seed: 7 })!;
    expect(outcome.pValue).toBeGreaterThan(0.1);
    expect(outcome.permutationsUsed).toBe(999);
  });
});

describe("null", () => {
  test("for more than 250 million relabeled units", () => {
    const strata = [draw(7)];
    expect(permuteClustered(strata, { permutations: 4_000_000, seed: 7 })).toBeNull();
  });

  test("if there is nothing to permute", () => {
    const scores = { control: new Float64Array(3), treatment: new Float64Array(3) };
    expect(permuteClustered(withClusters([scores], [scores]), OPTIONS)).toBeNull();
  });
});
