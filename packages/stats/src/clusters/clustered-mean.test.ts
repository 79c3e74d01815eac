import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import { clusterError } from "./cluster-error.ts";
import { clusteredMean, unseenVariance, type WeightedDifference } from "./clustered-mean.ts";

function differences(values: readonly number[], own: Partial<WeightedDifference> = {}): WeightedDifference[] {
  return values.map((value, cluster) => ({ cluster, weight: 1, value, ...own }));
}

/** Paired values of users with a level and an own reaction, as many of them as `unitsOf` says. */
function paired(users: number, unitsOf: (user: number) => number, seed: number) {
  const uniform = createUniform(seed);
  return Array.from({ length: users }, (_, user) => {
    const [level, reaction] = [3 * uniform(), uniform()];
    return Array.from({ length: unitsOf(user) }, () => {
      const control = level + uniform();
      return { cluster: user, weight: 1, control, treatment: control + reaction + uniform() };
    });
  }).flat();
}

describe("the mean of paired differences", () => {
  test("is that of a paired t-test if every user has one, of equal weight", () => {
    // The squares about the mean 19/12 add up to 389/24.
    const mean = clusteredMean(differences([1, 2, 4, -1, 0.5, 3]))!;
    expect(mean.mean).toBeCloseTo(9.5 / 6, 12);
    expect(mean.standardError).toBeCloseTo(Math.sqrt(389 / 24 / 5 / 6), 12);
    expect(mean.df).toBeCloseTo(5, 9);
    expect(mean.clusters).toBe(6);
  });

  test("has the error that two arms of the same users have", () => {
    const units = paired(40, (user) => 1 + (user % 5), 3);
    const side = (arm: "control" | "treatment") => ({
      scores: Float64Array.from(units, (unit) => unit[arm]),
      clusters: Float64Array.from(units, ({ cluster }) => cluster),
    });
    const mean = clusteredMean(
      units.map(({ control, treatment, ...unit }) => ({ ...unit, value: treatment - control })),
    )!;
    const ofArms = clusterError([{ control: side("control"), treatment: side("treatment") }]);
    expect(mean.standardError).toBeCloseTo(ofArms.standardError, 12);
  });

  test("weighs inputs, and knows less of unequal ones", () => {
    const values = Array.from({ length: 200 }, (_, i) => Math.sin(i));
    const equal = clusteredMean(differences(values))!;
    const unequal = clusteredMean(
      values.map((value, i) => ({ cluster: i, weight: i % 10 === 0 ? 20 : 1, value })),
    )!;
    const [rare, others] = [0, 1].map((kind) =>
      values.filter((_, i) => Number(i % 10 !== 0) === kind).reduce((sum, value) => sum + value, 0),
    );
    expect(unequal.mean).toBeCloseTo((20 * rare! + others!) / (20 * 20 + 180), 12);
    expect(unequal.standardError).toBeGreaterThan(1.5 * equal.standardError);
    expect(unequal.df).toBeLessThan(40);
  });

  test("has an unbiased variance whatever the weights of independent differences", () => {
    const weights = Array.from({ length: 12 }, (_, i) => 1 + (i % 4) ** 2);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const truth = weights.reduce((sum, weight) => sum + (weight / total) ** 2, 0) / 12;
    const uniform = createUniform(7);
    let sum = 0;
    for (let k = 0; k < 4_000; k++) {
      const units = weights.map((weight, i) => ({ cluster: i >> 1, weight, value: uniform() }));
      sum += clusteredMean(units)!.standardError ** 2;
    }
    expect(sum / 4_000 / truth).toBeGreaterThan(0.97);
    expect(sum / 4_000 / truth).toBeLessThan(1.03);
  });

  test("counts a user whose inputs are alike once", () => {
    const values = [1, 4, -2, 3, 0, 2];
    const once = clusteredMean(differences(values))!;
    const often = clusteredMean([0, 1, 2].flatMap(() => differences(values)))!;
    expect(often.standardError).toBeCloseTo(once.standardError, 12);
    expect(often.df).toBeCloseTo(once.df, 9);
  });

  test("has fewer degrees of freedom if some users have most of the inputs", () => {
    const of = (unitsOf: (user: number) => number) =>
      clusteredMean(
        paired(60, unitsOf, 5).map(({ cluster, weight, control, treatment }) => {
          return { cluster, weight, value: treatment - control };
        }),
      )!.df;
    expect(of(() => 5)).toBeCloseTo(59, 0);
    expect(of((user) => (user < 4 ? 60 : 2))).toBeLessThan(12);
  });

  test("has the degrees of freedom of the correlation between all pairs of a user's inputs", () => {
    const units = paired(30, (user) => 1 + (user % 4), 9).map(({ control, treatment, ...unit }, i) => ({
      ...unit,
      weight: 1 + (i % 3),
      value: treatment - control,
    }));
    const { mean, df } = clusteredMean(units)!;
    const pairs = units.flatMap((one) =>
      units
        .filter((other) => other !== one && other.cluster === one.cluster)
        .map((other) => ({ one, other })),
    );
    const meanOf = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const correlation =
      meanOf(pairs.map(({ one, other }) => (one.value - mean) * (other.value - mean))) /
      meanOf(units.map(({ value }) => (value - mean) ** 2));
    expect(correlation).toBeGreaterThan(0.1);
    expect(correlation).toBeLessThan(0.9);
    const variances = [...Map.groupBy(units, ({ cluster }) => cluster).values()].map((own) => {
      const weight = own.reduce((sum, unit) => sum + unit.weight, 0);
      const squares = own.reduce((sum, unit) => sum + unit.weight ** 2, 0);
      return (1 - correlation) * squares + correlation * weight ** 2;
    });
    const total = variances.reduce((sum, variance) => sum + variance, 0);
    const effective = total ** 2 / variances.reduce((sum, variance) => sum + variance ** 2, 0);
    expect(df).toBeCloseTo(effective - 1, 9);
  });

  test("has at least one degree of freedom", () => {
    const units = differences([1, 2, 3, 4, 5, 6], { cluster: 0 });
    expect(clusteredMean([...units, { cluster: 1, weight: 1, value: 0 }])!.df).toBe(1);
  });

  test.each([[[]], [differences([1, 2, 3], { cluster: 7 })]])("is null for fewer than two users", (units) => {
    expect(clusteredMean(units)).toBeNull();
  });
});

describe("rare differences", () => {
  const rare = (changed: number, users = 400, value = -1) =>
    differences(Array.from({ length: users }, (_, i) => (i < changed ? value : 0)));

  test("leave no error without any, and without a reach", () => {
    expect(clusteredMean(rare(0))!.standardError).toBe(0);
    expect(clusteredMean(rare(400))!.standardError).toBe(0);
    expect(clusteredMean(differences(new Array<number>(50).fill(0.1)))!.standardError).toBe(0);
  });

  test.each([0, 400])("allow for unseen ones if %i of 400 users have the same", (changed) => {
    const { standardError } = clusteredMean(rare(changed), { reach: 1 })!;
    expect(standardError).toBeCloseTo(2 / 400, 12);
    // None of 400 allows a share of 1 - .025^(1 / 400).
    expect(1.96 * standardError).toBeGreaterThan(1 - 0.025 ** (1 / 400));
  });

  test("allow for unseen ones with up to 19 users who have one", () => {
    const own = (changed: number, reach: number) =>
      clusteredMean(rare(changed), { reach })!.standardError ** 2;
    expect(own(19, 4) - own(19, 0)).toBeCloseTo(unseenVariance(4, 400), 12);
    expect(own(20, 4)).toBe(own(20, 0));
  });

  test("count users by their weight", () => {
    const units = rare(0).map((unit, i) => ({ ...unit, weight: i < 100 ? 1 : 1e-9 }));
    expect(clusteredMean(units, { reach: 1 })!.standardError).toBeCloseTo(2 / 100, 6);
  });
});
