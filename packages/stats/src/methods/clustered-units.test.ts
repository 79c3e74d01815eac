import { describe, expect, test } from "vitest";
import { studentTQuantile } from "../distributions/student-t.ts";
import { fineBin } from "../histogram.ts";
import { Z } from "../level.ts";
import { momentsOf } from "../moments.ts";
import { type RatioUsers, ratioScores } from "../permutation/permutation-test.ts";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import { bootstrapMean } from "./bootstrap-functional.ts";
import { clusterBootstrap } from "./cluster-bootstrap.ts";
import { clusterQuantile, isRuledByOneUser } from "./cluster-quantile.ts";
import type { ClusterBins } from "./indexed-bins.ts";
import { mannWhitneyU } from "./mann-whitney-u.ts";
import { ppiDifference, type ScoredUnit } from "./ppi.ts";
import { placements } from "./rank-sum.ts";
import { ratioDelta } from "./ratio-delta.ts";

const OPTIONS = { permutations: 999, seed: 5 };

/** One call per unit. */
function toBins(values: readonly number[]): ClusterBins {
  return {
    bins: Int32Array.from(values, fineBin),
    counts: new Uint32Array(values.length).fill(1),
    offsets: Uint32Array.from({ length: values.length + 1 }, (_, i) => i),
  };
}

/** Units of users with individual levels; in turn in one arm and the other. */
function draw(seed: number, { users = 60, unitsPerUser = 4, effect = 0 } = {}) {
  const uniform = createUniform(seed);
  const arms = { control: [] as number[][], treatment: [] as number[][] };
  for (let user = 0; user < users; user++) {
    const [level, own] = [100 * Math.exp(uniform()), 60 * uniform() - 30];
    for (let i = 0; i < unitsPerUser; i++) {
      const side = uniform() < 0.5 ? "control" : "treatment";
      arms[side].push([level * (1 + uniform()) + (side === "treatment" ? effect + own : 0), user]);
    }
  }
  const column = (units: readonly number[][], at: number) => units.map((unit) => unit[at]!);
  return {
    bins: [{ control: toBins(column(arms.control, 0)), treatment: toBins(column(arms.treatment, 0)) }],
    clusters: [
      {
        control: Float64Array.from(column(arms.control, 1)),
        treatment: Float64Array.from(column(arms.treatment, 1)),
      },
    ],
  };
}

describe("a quantile over calls of units", () => {
  test("has the same error as without clusters if every user has one unit", () => {
    const { bins, clusters } = draw(1, { users: 240, unitsPerUser: 1 });
    const own = clusters.map(({ control, treatment }) => ({
      control,
      treatment: treatment.map((user) => user + 1_000),
    }));
    const plain = clusterQuantile(bins, { quantile: 0.5, ...OPTIONS })!;
    const clustered = clusterQuantile(bins, { quantile: 0.5, ...OPTIONS }, own)!;
    expect(clustered.standardError).toBeCloseTo(plain.standardError!, 9);
    expect(clustered.effect).toBe(plain.effect);
    expect(clustered.relative.ciHigh).toBeGreaterThan(clustered.relative.effect!);
  });

  test("counts users, not units", () => {
    const { bins, clusters } = draw(2, { users: 18, unitsPerUser: 30 });
    expect(clusterQuantile(bins, { quantile: 0.5, ...OPTIONS })).not.toBeNull();
    expect(clusterQuantile(bins, { quantile: 0.5, ...OPTIONS }, clusters)).toBeNull();
  });

  test("is withheld if one user's units make more than a tenth of an arm's calls", () => {
    const { bins, clusters } = draw(3);
    const owned = clusters.map(({ control, treatment }) => ({
      control,
      treatment: treatment.map((user, unit) => (unit < 20 ? 7 : user)),
    }));
    expect(isRuledByOneUser(bins, clusters)).toBe(false);
    expect(isRuledByOneUser(bins, owned)).toBe(true);
    expect(clusterQuantile(bins, { quantile: 0.5, ...OPTIONS }, owned)).toBeNull();
  });

  test("takes p from Student's t where there are too many units to permute", () => {
    const { bins, clusters } = draw(4, { effect: 40 });
    const options = { quantile: 0.5, seed: 1 };
    const permuted = clusterQuantile(bins, { ...options, permutations: 1_999 }, clusters)!;
    const closed = clusterQuantile(bins, { ...options, permutations: 10_000_000 }, clusters)!;
    expect(closed).toMatchObject({ permutationsUsed: 0, isAtFloor: false, effect: permuted.effect });
    expect(closed.standardError).toBe(permuted.standardError);
    expect(Math.abs(Math.log(closed.pValue / permuted.pValue))).toBeLessThan(2);
    expect(closed.ciLow! > 0).toBe(closed.pValue <= 0.05);
  });
});

describe("a bootstrap of users", () => {
  const means = Float64Array.from({ length: 40 }, (_, i) => (i * 17) % 23);
  const other = Float64Array.from({ length: 40 }, (_, i) => 3 + ((i * 11) % 23));
  const options = { functional: bootstrapMean, replicates: 999, seed: 3 };
  const twice = (values: Float64Array) => Float64Array.from([...values, ...values]);
  const once = (from: number) => Float64Array.from({ length: 40 }, (_, i) => from + i);

  test("is that of the users' means if all units of a user are alike and in one arm", () => {
    const plain = clusterBootstrap([{ control: means, treatment: other }], options)!;
    const clusters = [{ control: twice(once(0)), treatment: twice(once(100)) }];
    const doubled = clusterBootstrap([{ control: twice(means), treatment: twice(other) }], {
      ...options,
      clusters,
    })!;
    expect(doubled.pValue).toBeCloseTo(plain.pValue, 2);
    expect(doubled.ciLow).toBeCloseTo(plain.ciLow!, 0);
    expect(doubled.standardError! / plain.standardError!).toBeCloseTo(1, 1);
  });

  test("draws a user in both arms together, so that their levels cancel", () => {
    const clusters = [{ control: once(0), treatment: once(0) }];
    const shifted = means.map((mean, i) => mean + 1 + (i % 3) / 10);
    const apart = clusterBootstrap([{ control: means, treatment: shifted }], options)!;
    const paired = clusterBootstrap([{ control: means, treatment: shifted }], { ...options, clusters })!;
    expect(paired.standardError).toBeLessThan(0.1 * apart.standardError!);
    expect(paired.pValue).toBeLessThan(0.01);
    expect(apart.pValue).toBeGreaterThan(0.1);
  });

  test("needs 20 users in each arm", () => {
    const few = (from: number) => Float64Array.from({ length: 40 }, (_, i) => from + (i % 19));
    const clusters = [{ control: few(0), treatment: once(0) }];
    expect(clusterBootstrap([{ control: means, treatment: other }], { ...options, clusters })).toBeNull();
  });
});

describe("labels of users in both arms", () => {
  const uniform = createUniform(9);
  const units = (from: number): ScoredUnit[] =>
    Array.from({ length: 120 }, (_, i) => {
      const label = i % 40 < 20 ? 1 : 0;
      return {
        cluster: from + (i % 40),
        weight: 1,
        score: uniform() < 0.8 ? label : 1 - label,
        label: i < 80 ? label : null,
      };
    });
  const [control, treatment] = [units(0), units(0)];

  test("add their covariance, which users' levels make positive", () => {
    const apart = ppiDifference({ control, treatment })!;
    const shared = ppiDifference({ control, treatment }, { shareUsers: true })!;
    expect(shared.effect).toBe(apart.effect);
    expect(shared.standardError).toBeLessThan(0.8 * apart.standardError!);
    expect(shared.relative.ciHigh! - shared.relative.ciLow!).toBeLessThan(
      apart.relative.ciHigh! - apart.relative.ciLow!,
    );
  });

  test("have the jackknife's error of the difference, a user left out of both arms at once", () => {
    // Without λ: all units have a label.
    const labelled = (of: readonly ScoredUnit[]) => of.map((unit, i) => ({ ...unit, label: (i * 7) % 11 }));
    const arms = { control: labelled(control), treatment: labelled(treatment.slice(0, 95)) };
    const mean = (of: readonly ScoredUnit[]) => of.reduce((sum, { label }) => sum + label!, 0) / of.length;
    const without = (of: readonly ScoredUnit[], user: number) => of.filter(({ cluster }) => cluster !== user);
    const effect = mean(arms.treatment) - mean(arms.control);
    const moves = Array.from(
      { length: 40 },
      (_, user) => mean(without(arms.treatment, user)) - mean(without(arms.control, user)) - effect,
    );
    const variance = (39 / 40) * moves.reduce((sum, move) => sum + move * move, 0);
    const { standardError, ciHigh, criticalValue } = ppiDifference(arms, { shareUsers: true })!;
    expect(standardError! ** 2).toBeCloseTo(variance, 12);
    expect(ciHigh).toBeCloseTo(effect + criticalValue! * standardError!, 12);
  });

  test("have Student's t with fewer degrees of freedom where users weigh unequally", () => {
    const critical = (of: readonly ScoredUnit[]) =>
      ppiDifference({ control, treatment: of }, { shareUsers: true })!.criticalValue!;
    expect(critical(treatment)).toBeGreaterThan(studentTQuantile(0.975, 40));
    expect(critical(treatment)).toBeLessThan(studentTQuantile(0.975, 8));
    const lopsided = treatment.map((unit, i) => ({ ...unit, cluster: i % 3 === 0 ? unit.cluster : 0 }));
    expect(critical(lopsided)).toBeGreaterThan(1.2 * critical(treatment));
    expect(ppiDifference({ control, treatment })!.criticalValue).toBe(Z);
  });

  test("add no covariance if no user is in both arms", () => {
    const others = treatment.map((unit) => ({ ...unit, cluster: unit.cluster + 100 }));
    const { effect, standardError } = ppiDifference({ control, treatment: others }, { shareUsers: true })!;
    expect(ppiDifference({ control, treatment: others })).toMatchObject({ effect, standardError });
  });

  test("with one unit each keep the normal critical value", () => {
    const once = (from: number) => units(0).map((unit, i) => ({ ...unit, cluster: from + i }));
    const arms = { control: once(0), treatment: once(120) };
    expect(ppiDifference(arms, { shareUsers: true })).toEqual(ppiDifference(arms));
  });

  test("without any spread keep the normal critical value, and arms that agree have no covariance", () => {
    const agreed = (label: 0 | 1): ScoredUnit[] =>
      Array.from({ length: 60 }, (_, i) => ({ cluster: i % 30, weight: 1, score: label, label }));
    const both = { control: agreed(0), treatment: agreed(1) };
    expect(ppiDifference(both, { shareUsers: true })).toEqual(ppiDifference(both));
    const one = { control: agreed(1), treatment };
    const shared = ppiDifference(one, { shareUsers: true })!;
    expect(shared.standardError).toBe(ppiDifference(one)!.standardError);
    expect(shared.criticalValue).toBeGreaterThan(Z);
  });
});

test("placements are the shares of the other arm below, ties half", () => {
  const { control, treatment } = placements({
    control: Float64Array.of(3, 1, 2),
    treatment: Float64Array.of(2, 0, 5, 2),
  });
  expect([...control]).toEqual([0.75, 0.25, 0.5]);
  expect([...treatment]).toEqual([0.5, 0, 1, 0.5]);
});

test("placements have the variance of the rank test", () => {
  const uniform = createUniform(4);
  const values: Stratum<Float64Array> = {
    control: new Float64Array(30).map(uniform),
    treatment: new Float64Array(40).map(uniform),
  };
  const { control, treatment } = placements(values);
  const variance = (arm: Float64Array) => momentsOf(arm).m2 / (arm.length - 1) / arm.length;
  expect(Math.sqrt(variance(control) + variance(treatment))).toBeCloseTo(
    mannWhitneyU([values])!.standardError!,
    12,
  );
});

test("the scores of a ratio have the variance of the delta method", () => {
  const uniform = createUniform(6);
  const arm = (n: number): RatioUsers => {
    const d = new Float64Array(n).map(() => 1 + Math.floor(5 * uniform()));
    return { y: d.map((calls) => calls * (1 + uniform())), d };
  };
  const strata = [{ control: arm(50), treatment: arm(60) }];
  const [scores] = ratioScores(strata);
  const variance = (values: Float64Array) => momentsOf(values).m2 / (values.length - 1) / values.length;
  const outcome = ratioDelta(
    strata.map(({ control, treatment }) => ({
      control: ratioMoments(control),
      treatment: ratioMoments(treatment),
    })),
  )!;
  expect(Math.sqrt(variance(scores!.control) + variance(scores!.treatment))).toBeCloseTo(
    outcome.standardError!,
    12,
  );
});

function ratioMoments({ y, d }: RatioUsers) {
  const [ofY, ofD] = [momentsOf(y), momentsOf(d)];
  const cYD = y.reduce((sum, value, i) => sum + (value - ofY.mean) * (d[i]! - ofD.mean), 0);
  return { n: y.length, meanY: ofY.mean, m2Y: ofY.m2, meanD: ofD.mean, m2D: ofD.m2, cYD };
}
