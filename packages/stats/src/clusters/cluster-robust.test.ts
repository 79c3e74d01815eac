import { describe, expect, test } from "vitest";
import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { fieller, fiellerOfCorrelated } from "../fieller.ts";
import { mannWhitneyU } from "../methods/mann-whitney-u.ts";
import { placements } from "../methods/rank-sum.ts";
import { twoProportionZ } from "../methods/two-proportion-z.ts";
import { welchT } from "../methods/welch-t.ts";
import { momentsOf } from "../moments.ts";
import { permuteMeans, permuteShares } from "../permutation/permutation-test.ts";
import { createUniform } from "../random.ts";
import { mapStrata, type Stratum } from "../strata.ts";
import { clusterError, withClusters } from "./cluster-error.ts";
import { clusterRobust } from "./cluster-robust.ts";

/** Units of users with individual levels and effects, dealt at random. */
function draw(seed: number, { users = 40, effect = 0, binary = false } = {}) {
  const uniform = createUniform(seed);
  const arms = { control: [] as number[][], treatment: [] as number[][] };
  for (let user = 0; user < users; user++) {
    const [level, own] = [uniform(), uniform() - 0.5];
    for (let i = 0; i < 6; i++) {
      const side = uniform() < 0.5 ? "control" : "treatment";
      const value = level + (side === "treatment" ? effect + own : 0) + uniform();
      arms[side].push([binary ? Number(value > 1) : value, user]);
    }
  }
  const column = (at: number): Stratum<Float64Array>[] =>
    [arms].map(({ control, treatment }) => ({
      control: Float64Array.from(control, (unit) => unit[at]!),
      treatment: Float64Array.from(treatment, (unit) => unit[at]!),
    }));
  return { y: column(0), clusters: column(1) };
}

describe("a closed form", () => {
  const { y, clusters } = draw(1, { effect: 0.3 });
  const units = welchT(mapStrata(y, momentsOf))!;
  const outcome = clusterRobust(units, withClusters(y, clusters))!;
  const error = clusterError(withClusters(y, clusters));

  test("keeps the effect and gets the users' error, with p and interval of Student's t", () => {
    expect(outcome).toMatchObject({ test: "welch_t", effect: units.effect, permutationsUsed: 0 });
    expect(outcome.standardError).toBe(error.standardError);
    expect(outcome.statistic).toBeCloseTo(units.effect / error.standardError, 12);
    expect(outcome.pValue).toBeCloseTo(2 * studentTSf(Math.abs(outcome.statistic!), error.df), 12);
    expect(outcome.criticalValue).toBe(studentTQuantile(0.975, error.df));
    expect(outcome.ciHigh! - outcome.ciLow!).toBeCloseTo(
      2 * outcome.criticalValue! * error.standardError,
      12,
    );
  });

  test("has a relative interval that excludes 0 exactly when the interval does", () => {
    for (let seed = 1; seed < 40; seed++) {
      const data = draw(seed, { effect: 0.15 });
      const { ciLow, ciHigh, relative } = clusterRobust(
        welchT(mapStrata(data.y, momentsOf))!,
        withClusters(data.y, data.clusters),
      )!;
      expect(relative.ciLow! > 0).toBe(ciLow! > 0);
      expect(relative.ciHigh! < 0).toBe(ciHigh! < 0);
      expect(relative.ciLow!).toBeLessThan(relative.effect!);
    }
  });

  test("of ranks keeps U and stays within a half", () => {
    const separate = {
      y: y.map(({ control, treatment }) => ({ control, treatment: treatment.map((v) => v + 1.6) })),
    };
    const ranked = mannWhitneyU(separate.y)!;
    const robust = clusterRobust(ranked, withClusters(separate.y.map(placements), clusters))!;
    expect(robust).toMatchObject({ statistic: ranked.statistic, relative: ranked.relative });
    expect(robust.ciHigh).toBeLessThanOrEqual(0.5);
    expect(robust.standardError).not.toBe(ranked.standardError);
  });

  test("of shares stays within one", () => {
    const shares = draw(2, { binary: true, users: 4 });
    const counts = mapStrata(shares.y, (arm) => ({
      n: arm.length,
      successes: arm.reduce((sum, value) => sum + value, 0),
    }));
    const robust = clusterRobust(twoProportionZ(counts)!, withClusters(shares.y, shares.clusters))!;
    expect(robust.ciLow).toBeGreaterThanOrEqual(-1);
    expect(robust.ciHigh).toBeLessThanOrEqual(1);
  });

  test("is none if the users leave no spread, since a single user has no residual", () => {
    const single = mapStrata(clusters, (users) => users.map(() => 1));
    expect(clusterRobust(units, withClusters(y, single))).toBeNull();
  });

  test("stays as it is if the arms have no spread", () => {
    const constant = [{ control: new Float64Array(20).fill(1), treatment: new Float64Array(20).fill(2) }];
    const users = [{ control: new Float64Array(20), treatment: new Float64Array(20) }];
    const separated = welchT(mapStrata(constant, momentsOf))!;
    expect(clusterRobust(separated, withClusters(constant, users))).toBe(separated);
  });
});

describe("a permutation", () => {
  test("keeps its numbers and gets the relative interval of correlated arms", () => {
    const { y, clusters } = draw(3, { effect: 0.4 });
    const permuted = permuteMeans(y, { permutations: 999, seed: 1 }, clusters)!;
    const { relative, ...robust } = clusterRobust(permuted, withClusters(y, clusters))!;
    const { relative: independent, ...same } = permuted;
    expect(robust).toEqual(same);
    expect(relative.effect).toBe(independent.effect);
    expect(relative.ciLow! > 0).toBe(robust.ciLow! > 0);
    expect(relative.ciLow).not.toBe(independent.ciLow);
  });

  test("of shares stays within one", () => {
    const shares = [
      {
        control: Float64Array.of(0, 0, 0, 0, 1, 0),
        treatment: Float64Array.of(1, 1, 1, 0, 1, 1),
      },
    ];
    const users = [
      { control: Float64Array.of(1, 2, 3, 4, 5, 6), treatment: Float64Array.of(1, 2, 3, 4, 5, 6) },
    ];
    const outcome = permuteShares(shares, { permutations: 999, seed: 1 }, users)!;
    expect(outcome.ciHigh).toBe(1);
    expect(permuteShares([], { permutations: 999, seed: 1 }, [])).toBeNull();
  });
});

describe("Fieller's interval of correlated arms", () => {
  const [control, treatment] = [
    { n: 9, value: 10, variance: 0.5 },
    { n: 9, value: 12, variance: 0.8 },
  ];

  test("is that of independent arms without a covariance", () => {
    expect(fiellerOfCorrelated(control, treatment, { covariance: 0, criticalValue: 2 })).toEqual(
      fieller(control, treatment, 2),
    );
  });

  test("ends at the ratios that the data do not refute", () => {
    const covariance = 0.4;
    const { ciLow, ciHigh } = fiellerOfCorrelated(control, treatment, { covariance, criticalValue: 2 });
    for (const bound of [1 + ciLow!, 1 + ciHigh!]) {
      const variance = treatment.variance - 2 * bound * covariance + bound ** 2 * control.variance;
      expect(Math.abs(treatment.value - bound * control.value)).toBeCloseTo(2 * Math.sqrt(variance), 9);
    }
  });

  test("exists if control has no spread, and not without a critical value", () => {
    const exact = { ...control, variance: 0 };
    expect(fiellerOfCorrelated(exact, treatment, { covariance: 0, criticalValue: 2 })).toEqual(
      fieller(exact, treatment, 2),
    );
    expect(fiellerOfCorrelated(control, treatment, { covariance: 0.1, criticalValue: null })).toEqual({
      effect: 0.2,
      ciLow: null,
      ciHigh: null,
    });
  });
});
