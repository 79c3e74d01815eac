import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inNight } from "../../../../tests/in-night.ts";
import { welchT } from "../methods/welch-t.ts";
import { momentsOf } from "../moments.ts";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import type { ArmSampler } from "./arm-sums.ts";
import { blockSampler } from "./block-sums.ts";
import { enumerateStatistics } from "./enumerate.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { countSampler } from "./permute-counts.ts";
import { permuteScores } from "./permute-scores.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import { sampleStatistics } from "./sample-statistics.ts";

const OPTIONS = { permutations: 999, seed: 1 };

const scores = (...values: readonly number[]) => Float64Array.from(values);
const drawn = (n: number, draw: () => number) => Float64Array.from({ length: n }, draw);
const swap = ({ control, treatment }: Stratum<Float64Array>) => ({ control: treatment, treatment: control });

/** Draws of a normal distribution. */
function normals(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const mouse = {
  control: scores(94, 197, 16, 38, 99, 141, 23),
  treatment: scores(52, 104, 146, 10, 51, 30, 40, 27, 46),
};
const ties = {
  control: scores(0, 0, 0, 1, 0, 0, 2, 0, 3),
  treatment: scores(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0),
};

describe("all relabelings", () => {
  // perm_exact of vectors/statistics.json; each was enumerated independently.
  test.each([
    { name: "two and two", control: scores(1, 2), treatment: scores(3, 4), count: 2, total: 6 },
    { name: "three and three", control: scores(1, 2, 3), treatment: scores(4, 5, 6), count: 2, total: 20 },
    {
      name: "four and four",
      control: scores(8, 9, 11, 13),
      treatment: scores(5, 6, 7, 10),
      count: 8,
      total: 70,
    },
    {
      name: "Baumgartner, Weiss & Schindler's",
      control: scores(1, 2, 3, 4, 6, 7, 8),
      treatment: scores(5, 9, 10, 11, 12, 13, 14),
      count: 14,
      total: 3432,
    },
    { name: "Efron & Tibshirani's mice", ...mouse, count: 3513, total: 11_440 },
  ])("of $name give $count / $total", ({ control, treatment, count, total }) => {
    expect(permuteScores([{ control, treatment }], OPTIONS)).toMatchObject({
      pValue: count / total,
      permutationsUsed: total,
      isAtFloor: false,
      engine: "enumeration",
    });
  });

  test("of scores with many ties count every tie", () => {
    const { sizes } = enumerateStatistics(
      poolScores([ties])!.strata.map((stratum) => ({ stratum, scores: stratum.scores })),
    );
    const { statistic } = permuteScores([ties], OPTIONS)!;
    expect(sizes.length).toBe(167_960);
    expect(sizes.filter((size) => size >= Math.abs(statistic!) * (1 - 1e-12)).length).toBe(31_824);
  });

  test("of two strata are those of one times those of the other", () => {
    const strata = [
      { control: scores(1, 2, 3), treatment: scores(4, 5, 6) },
      { control: scores(10, 20), treatment: scores(30, 40, 50) },
    ];
    const outcome = permuteScores(strata, OPTIONS)!;
    expect(outcome.permutationsUsed).toBe(20 * 10);
    expect(outcome.difference).toBeCloseTo((6 / 11) * 3 + (5 / 11) * 25, 12);
    expect(outcome.standardError).toBeCloseTo(
      Math.hypot((6 / 11) * Math.sqrt(2 / 3), (5 / 11) * Math.sqrt(50 / 2 + 100 / 3)),
      12,
    );
    // At least the data, and the first stratum's mirror image combined with the top of the second.
    expect(outcome.pValue).toBeGreaterThanOrEqual(1 / 200);
    expect(outcome.pValue * 200).toBeCloseTo(Math.round(outcome.pValue * 200), 9);
  });

  test("give the p-value of arms without spread that differ", () => {
    const outcome = permuteScores([{ control: scores(0, 0, 0), treatment: scores(1, 1, 1) }], OPTIONS)!;
    expect(outcome).toMatchObject({ pValue: 2 / 20, statistic: null, criticalValue: null, standardError: 0 });
  });
});

describe("random relabelings", () => {
  const uniform = createUniform(3);
  const normal = normals(4);
  const zeroInflated = () => (uniform() < 0.2 ? Math.exp(normal()) : 0);
  const grades = () => Math.floor(4 * uniform());
  const strataOf = (nC: number, nT: number, draw: () => number) => [
    { control: drawn(nC, draw), treatment: drawn(nT, draw) },
  ];
  type Create = (stratum: PooledScores) => ArmSampler;
  const sizeOf = (stratum: PooledScores) => () => stratum.firstSize;
  const fisherYates: Create = (stratum) => fisherYatesSampler(stratum.scores, sizeOf(stratum));
  const blocks: Create = (stratum) =>
    blockSampler(stratum.scores, {
      share: stratum.firstSize / stratum.scores.length,
      drawSize: sizeOf(stratum),
    });
  const counts: Create = ({ scores: all, firstSize }) => {
    const values = [...new Set(all)];
    const totals = values.map((value) => all.filter((score) => score === value).length);
    return countSampler({ values, totals }, firstSize);
  };

  test.each([
    { name: "blocks of equal arms", create: blocks, strata: strataOf(9, 9, normal) },
    { name: "blocks of unequal arms", create: blocks, strata: strataOf(6, 12, normal) },
    { name: "blocks of skewed scores", create: blocks, strata: strataOf(7, 11, zeroInflated) },
    { name: "a small arm shuffled out", create: fisherYates, strata: strataOf(120, 2, normal) },
    { name: "counts", create: counts, strata: strataOf(8, 9, grades) },
    {
      name: "two strata",
      create: blocks,
      strata: [...strataOf(5, 4, normal), ...strataOf(5, 5, normal)],
    },
  ])("have the distribution of all: $name", ({ create, strata }) => {
    const pooled = poolScores(strata)!.strata;
    const all = enumerateStatistics(pooled.map((stratum) => ({ stratum, scores: stratum.scores }))).sizes;
    const random = sampleStatistics(
      pooled.map((stratum) => ({ stratum, sampler: create(stratum) })),
      Infinity,
      { permutations: 20_000, seed: 9 },
    ).sizes;
    // 99.9 % of the one-sample Kolmogorov–Smirnov distribution; smaller for data with ties.
    expect(largestGap(all, random) * Math.sqrt(20_000)).toBeLessThan(1.95);
  });

  const zeros = (lift: number) => () => (uniform() < 0.1 ? Math.exp(normal()) + lift : 0);
  const four = { permutations: 9_999, seed: 4 };

  test.each([
    { name: "equal arms", control: drawn(400, normal), treatment: drawn(400, () => normal() + 0.14) },
    { name: "unequal arms", control: drawn(700, normal), treatment: drawn(300, () => normal() + 0.14) },
    { name: "a small arm", control: drawn(3000, normal), treatment: drawn(90, () => normal() + 0.21) },
    { name: "mostly zeros", control: drawn(2000, zeros(0)), treatment: drawn(2000, zeros(0.25)) },
    { name: "few values", control: drawn(4000, grades), treatment: drawn(4000, () => grades() * 1.04) },
  ])("agree with the closed form on many users: $name", ({ control, treatment }) => {
    const closed = welchT([{ control: momentsOf(control), treatment: momentsOf(treatment) }])!;
    const outcome = permuteScores([{ control, treatment }], four)!;
    expect(outcome.statistic).toBeCloseTo(closed.statistic!, 9);
    expect(outcome.difference).toBeCloseTo(closed.effect, 12);
    expect(outcome.standardError).toBeCloseTo(closed.standardError!, 12);
    const error = Math.sqrt((closed.pValue * (1 - closed.pValue)) / outcome.permutationsUsed);
    expect(Math.abs(outcome.pValue - closed.pValue)).toBeLessThan(5 * error + 0.004);
    expect(outcome.criticalValue!).toBeCloseTo(1.96, 0);
  });

  test("are at their floor when none is as extreme as the data", () => {
    const strata = [{ control: drawn(50, uniform), treatment: drawn(50, () => 3 + uniform()) }];
    expect(permuteScores(strata, OPTIONS)).toMatchObject({
      pValue: 1 / 1000,
      permutationsUsed: 999,
      isAtFloor: true,
      engine: "monte-carlo",
    });
  });

  test("give no interval when there are too few for p ≤ .05", () => {
    const strata = [{ control: drawn(50, uniform), treatment: drawn(50, uniform) }];
    expect(permuteScores(strata, { permutations: 18, seed: 1 })!.criticalValue).toBeNull();
    expect(permuteScores(strata, { permutations: 19, seed: 1 })!.criticalValue).not.toBeNull();
  });
});

describe("every permutation test", () => {
  const uniform = createUniform(8);
  const normal = normals(8);
  const cases: readonly { name: string; strata: readonly Stratum<Float64Array>[] }[] = [
    { name: "few users", strata: [mouse] },
    { name: "ties", strata: [ties] },
    { name: "equal arms", strata: [{ control: drawn(300, normal), treatment: drawn(300, normal) }] },
    { name: "unequal arms", strata: [{ control: drawn(500, normal), treatment: drawn(300, normal) }] },
    { name: "a small arm", strata: [{ control: drawn(900, normal), treatment: drawn(60, normal) }] },
    {
      name: "zeros",
      strata: [{ control: drawn(300, () => Math.max(0, uniform() - 0.9)), treatment: drawn(300, () => 0) }],
    },
    {
      name: "few values",
      strata: [
        {
          control: drawn(2000, () => Math.floor(4 * uniform())),
          treatment: drawn(2000, () => Math.floor(4 * uniform())),
        },
      ],
    },
    {
      name: "strata",
      strata: [
        { control: drawn(90, normal), treatment: drawn(10, normal) },
        { control: drawn(60, normal), treatment: drawn(80, normal) },
        { control: scores(7, 7), treatment: scores(7, 7, 7) },
      ],
    },
  ];

  test.each(cases)("gives the same result to the last bit for the same seed: $name", ({ strata }) => {
    expect(permuteScores(strata, OPTIONS)).toEqual(permuteScores(strata, OPTIONS));
  });

  test.each(cases)("changes signs and nothing else when the arms are swapped: $name", ({ strata }) => {
    const outcome = permuteScores(strata, OPTIONS)!;
    expect(permuteScores(strata.map(swap), OPTIONS)).toEqual({
      ...outcome,
      difference: -outcome.difference,
      statistic: -outcome.statistic!,
    });
  });

  test.each(cases)("is the same to the last bit in units of another power of two: $name", ({ strata }) => {
    const outcome = permuteScores(strata, OPTIONS)!;
    for (const unit of [2 ** -900, 2 ** -10, 2 ** 1000]) {
      const scaled = permuteScores(
        map(strata, (score) => score * unit),
        OPTIONS,
      )!;
      expect(scaled).toEqual({
        ...outcome,
        difference: outcome.difference * unit,
        standardError: outcome.standardError * unit,
      });
    }
  });

  test.each(cases)("does not depend on unit or zero point: $name", ({ strata }) => {
    const outcome = permuteScores(strata, OPTIONS)!;
    const moved = permuteScores(
      map(strata, (score) => 1e3 + score / 7),
      OPTIONS,
    )!;
    expect(moved.statistic).toBeCloseTo(outcome.statistic!, 6);
    expect(moved.engine).toBe(outcome.engine);
    if (moved.engine === "enumeration") expect(moved.pValue).toBe(outcome.pValue);
    expect(Math.abs(moved.pValue - outcome.pValue)).toBeLessThan(0.1);
  });

  test("depends on the seed", () => {
    const strata = cases[2]!.strata;
    const [first, second] = [1, 2].map((seed) => permuteScores(strata, { permutations: 999, seed })!);
    expect(first!.statistic).toBe(second!.statistic);
    expect(first!.criticalValue).not.toBe(second!.criticalValue);
  });

  test("has a critical value below |t| exactly when p is at most .05", () => {
    const arm = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 30 });
    const stratum = fc.record({ control: arm, treatment: arm });
    const lift = fc.integer({ min: 0, max: 2 });
    fc.assert(
      fc.property(
        fc.array(stratum, { minLength: 1, maxLength: 2 }),
        lift,
        fc.integer(),
        (drafts, add, seed) => {
          const strata = drafts.map(({ control, treatment }) => ({
            control: scores(...control),
            treatment: scores(...treatment).map((score) => score + add),
          }));
          const outcome = permuteScores(strata, { permutations: 2500, seed });
          fc.pre(outcome?.criticalValue != null);
          expect(outcome!.criticalValue! < Math.abs(outcome!.statistic!)).toBe(outcome!.pValue <= 0.05);
        },
      ),
      { numRuns: inNight(50, 200) },
    );
  });

  test.each([
    { name: "no strata", strata: [] },
    { name: "a single user in an arm", strata: [{ control: scores(1), treatment: scores(1, 2, 3) }] },
    { name: "scores all alike", strata: [{ control: scores(0.1, 0.1), treatment: scores(0.1, 0.1, 0.1) }] },
    { name: "nothing but zeros", strata: [{ control: scores(0, 0), treatment: scores(0, -0) }] },
    {
      name: "a score that is no number",
      strata: [{ control: scores(1, 2), treatment: scores(3, Number.NaN) }],
    },
    { name: "an infinite score", strata: [{ control: scores(1, 2), treatment: scores(3, -Infinity) }] },
    {
      name: "a spread too large for a number",
      strata: [{ control: scores(1.7e308, -1.7e308), treatment: scores(1.7e308, -1.7e308) }],
    },
  ])("has no outcome for $name", ({ strata }) => expect(permuteScores(strata, OPTIONS)).toBeNull());

  test.each([1e300, 1e-300, 1e-310])("reads scores around %d", (unit) => {
    const outcome = permuteScores(
      map([mouse], (score) => score * unit),
      OPTIONS,
    )!;
    expect(outcome.pValue).toBeCloseTo(3513 / 11_440, unit < 1e-305 ? 2 : 12);
    expect(outcome.difference / unit).toBeCloseTo(-30.6349206349, unit < 1e-305 ? 2 : 9);
  });

  test("finds a spread far from 0", () => {
    const outcome = permuteScores(
      map([mouse], (score) => score + 1e12),
      OPTIONS,
    )!;
    expect(outcome.pValue).toBe(3513 / 11_440);
  });
});

function map(strata: readonly Stratum<Float64Array>[], score: (score: number) => number) {
  return strata.map(({ control, treatment }) => ({
    control: control.map(score),
    treatment: treatment.map(score),
  }));
}

/** The largest distance of two distribution functions. */
function largestGap(a: Float64Array, b: Float64Array): number {
  const shareUpTo = (sorted: Float64Array, value: number) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! <= value * (1 + 1e-9)) low = middle + 1;
      else high = middle;
    }
    return low / sorted.length;
  };
  const [first, second] = [a.toSorted(), b.toSorted()];
  return Math.max(
    ...[...new Set(second)].map((value) => Math.abs(shareUpTo(first, value) - shareUpTo(second, value))),
  );
}
