import { describe, expect, test } from "vitest";
import { welchT } from "../methods/welch-t.ts";
import { momentsOf } from "../moments.ts";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import {
  type ClusteredScores,
  clusterError,
  haveSharedClusters,
  leverageFactor,
  sumByCluster,
} from "./cluster-error.ts";

type Unit = readonly [score: number, user: number];

function arm(units: readonly Unit[]): ClusteredScores {
  return {
    scores: Float64Array.from(units, ([score]) => score),
    clusters: Float64Array.from(units, ([, user]) => user),
  };
}

function stratum(control: readonly Unit[], treatment: readonly Unit[]): Stratum<ClusteredScores> {
  return { control: arm(control), treatment: arm(treatment) };
}

/** Units with scores that depend on their user. */
function population(users: number, unitsOf: (user: number) => number, seed: number) {
  const uniform = createUniform(seed);
  const arms: Record<"control" | "treatment", Unit[]> = { control: [], treatment: [] };
  for (let user = 0; user < users; user++) {
    const level = 3 * uniform();
    for (let i = 0; i < unitsOf(user); i++)
      arms[uniform() < 0.5 ? "control" : "treatment"].push([level + uniform(), 7 * user + 2 ** 40]);
  }
  return stratum(arms.control, arms.treatment);
}

function welch({ control, treatment }: Stratum<ClusteredScores>) {
  return welchT([{ control: momentsOf(control.scores), treatment: momentsOf(treatment.scores) }])!;
}

describe("the error of the difference", () => {
  test("is Welch's if every user has one unit", () => {
    const data = population(60, () => 1, 1);
    const { standardError, covariance } = clusterError([data]);
    expect(standardError).toBeCloseTo(welch(data).standardError!, 12);
    expect(covariance).toBe(0);
  });

  test("of equal arms of single units has as many degrees of freedom as users, less one", () => {
    const units = (from: number) => Array.from({ length: 30 }, (_, i): Unit => [i % 7, from + i]);
    expect(clusterError([stratum(units(0), units(100))]).df).toBeCloseTo(59, 9);
  });

  test("is that of the users' means if all units of a user are alike and in one arm", () => {
    const users = (scores: readonly number[], from: number) =>
      scores.map((score, i): Unit => [score, from + i]);
    const [c, t] = [users([1, 4, 2, 8, 5], 0), users([3, 3, 9, 6, 7], 100)];
    const once = stratum(c, t);
    const thrice = stratum([...c, ...c, ...c], [...t, ...t, ...t]);
    expect(clusterError([thrice]).standardError).toBeCloseTo(clusterError([once]).standardError, 12);
    expect(welch(thrice).standardError).toBeLessThan(0.6 * clusterError([thrice]).standardError);
  });

  test("is computed from the users' residuals in both arms", () => {
    // Means 2 and 4. User 1: -1 in control, 1 in treatment; user 2: -1 and 1; user 3: 1 + 1 and -2 - 0.
    const data = stratum(
      [
        [1, 1],
        [1, 2],
        [3, 3],
        [3, 3],
      ],
      [
        [5, 1],
        [5, 2],
        [2, 3],
        [4, 3],
      ],
    );
    const [single, double] = [1 / Math.sqrt(3 / 4) / 4, 1 / Math.sqrt(1 / 2) / 4];
    const { control, treatment, covariance, standardError } = clusterError([data]);
    expect(control).toBeCloseTo(2 * single ** 2 + (2 * double) ** 2, 12);
    expect(treatment).toBeCloseTo(2 * single ** 2 + (2 * double) ** 2, 12);
    expect(covariance).toBeCloseTo(-2 * single ** 2 - (2 * double) ** 2, 12);
    expect(standardError ** 2).toBeCloseTo(control + treatment - 2 * covariance, 12);
  });

  test("adds up a user's residuals over strata, weighted by the strata's units", () => {
    const one = population(40, () => 2, 3);
    const own = clusterError([one]).standardError;
    const twice = clusterError([one, one]).standardError;
    // The same users again: nothing is known better. Other users: half the variance.
    expect(twice).toBeCloseTo(own, 12);
    const others = (data: ClusteredScores) => ({ ...data, clusters: data.clusters.map((user) => -user) });
    const independent = [one, { control: others(one.control), treatment: others(one.treatment) }];
    expect(clusterError(independent).standardError).toBeCloseTo(own / Math.SQRT2, 12);
  });

  test("does not depend on which arm is control", () => {
    const { control, treatment } = population(30, (user) => 1 + (user % 5), 4);
    const [a, b] = [
      clusterError([{ control, treatment }]),
      clusterError([{ control: treatment, treatment: control }]),
    ];
    expect(b.standardError).toBeCloseTo(a.standardError, 12);
    expect(b.df).toBeCloseTo(a.df, 9);
  });
});

describe("the degrees of freedom", () => {
  test("are near the number of users if these have as many units each, whose scores do not depend on them", () => {
    const uniform = createUniform(5);
    const units = (from: number) =>
      Array.from({ length: 400 }, (_, i): Unit => [uniform(), from + Math.floor(i / 8)]);
    expect(clusterError([stratum(units(0), units(0))]).df).toBeCloseTo(49, 0);
  });

  test("fall if some users have most of the units", () => {
    const even = clusterError([population(60, () => 10, 6)]);
    const uneven = clusterError([population(60, (user) => (user < 4 ? 100 : 4), 6)]);
    expect(uneven.df).toBeLessThan(15);
    expect(even.df).toBeGreaterThan(2 * uneven.df);
  });

  test("are those of the correlations between all pairs of a user's units, within an arm and across", () => {
    // Two strata, in which the users return; their weights are the shares of the units.
    const strata = [population(25, (user) => 1 + (user % 4), 8), population(20, (user) => 1 + (user % 3), 9)];
    const all = strata.reduce(
      (n, { control, treatment }) => n + control.scores.length + treatment.scores.length,
      0,
    );
    const units = strata.flatMap((arms) =>
      (["control", "treatment"] as const).flatMap((side) => {
        const { scores, clusters } = arms[side];
        const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
        const share = (arms.control.scores.length + arms.treatment.scores.length) / all;
        return [...scores].map((score, i) => ({
          ...{ side, user: clusters[i]!, residual: score - mean, weight: share / scores.length },
        }));
      }),
    );
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const variance = { control: 0, treatment: 0 };
    for (const side of ["control", "treatment"] as const) {
      const own = units.filter((unit) => unit.side === side);
      variance[side] = sum(own.map(({ residual }) => residual ** 2)) / own.length;
    }
    const scaled = units.map((unit) => ({
      ...unit,
      residual: unit.residual / Math.sqrt(variance[unit.side]),
    }));
    const correlation = (isSameArm: boolean) => {
      const products = scaled.flatMap((one) =>
        scaled
          .filter(
            (other) => other !== one && other.user === one.user && (other.side === one.side) === isSameArm,
          )
          .map((other) => one.residual * other.residual),
      );
      return sum(products) / products.length;
    };
    const [within, across] = [correlation(true), correlation(false)];
    expect([within > 0.1, within < 0.95, Math.abs(across) < within]).toEqual([true, true, true]);
    const variances = [...new Set(units.map(({ user }) => user))].map((user) => {
      const of = (side: "control" | "treatment") => {
        const weights = units
          .filter((unit) => unit.user === user && unit.side === side)
          .map(({ weight }) => weight);
        return { weight: sum(weights), squares: sum(weights.map((weight) => weight ** 2)) };
      };
      const [c, t] = [of("control"), of("treatment")];
      const own = (arm: typeof c, v: number) => v * ((1 - within) * arm.squares + within * arm.weight ** 2);
      const both = 2 * across * Math.sqrt(variance.control * variance.treatment) * c.weight * t.weight;
      return own(c, variance.control) + own(t, variance.treatment) - both;
    });
    const effective = sum(variances) ** 2 / sum(variances.map((one) => one ** 2));
    expect(clusterError(strata).df).toBeCloseTo(effective - 1, 9);
  });

  test("are at least 1, and NaN without any spread", () => {
    const owner = (n: number) => Array.from({ length: n }, (_, i): Unit => [i % 3, 1]);
    expect(clusterError([stratum([...owner(90), [1, 2]], [...owner(80), [2, 2]])]).df).toBeGreaterThanOrEqual(
      1,
    );
    const constant = clusterError([
      stratum(
        [
          [1, 1],
          [1, 2],
        ],
        [
          [2, 1],
          [2, 2],
        ],
      ),
    ]);
    expect(constant).toMatchObject({ standardError: 0, df: Number.NaN });
  });

  test("exist if one arm has no spread", () => {
    const { control } = population(40, () => 4, 7);
    const treatment = { ...control, scores: control.scores.map(() => 2) };
    expect(clusterError([{ control, treatment }]).df).toBeGreaterThan(5);
  });
});

test("all units of an arm have no residual together, so their factor does not matter", () => {
  expect(leverageFactor(5, 5)).toBe(0);
  expect(leverageFactor(1, 5)).toBeCloseTo(Math.sqrt(5 / 4), 12);
});

test("a user's units are summed from the arm's mean", () => {
  const sums = sumByCluster(
    arm([
      [1, 9],
      [2, 4],
      [6, 9],
      [3, 5],
    ]),
  );
  expect([...sums]).toEqual([1, -1, 0]);
});

test.each([
  [[1, 2, 3], [4, 5], false],
  [[1, 2, 3], [3, 5], true],
  [[1, 1, 3], [4, 5], true],
])("users of units %j and %j: shared %j", (control, treatment, shared) => {
  const clusters = [{ control: Float64Array.from(control), treatment: Float64Array.from(treatment) }];
  expect(haveSharedClusters(clusters)).toBe(shared);
});
