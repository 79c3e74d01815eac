import { describe, expect, test } from "vitest";
import { ratioDelta } from "../methods/ratio-delta.ts";
import { createUniform } from "../random.ts";
import { cupedMeans, cupedRatios } from "./cuped.ts";
import { type RatioWithCovariate, spreadOf } from "./cuped-fit.ts";

function normals(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** An arm's sums of y, d, x and xd, and of their squares and products row by row of the upper triangle. */
interface ArmSums {
  readonly n: number;
  readonly sums: readonly number[];
  readonly products: readonly (readonly number[])[];
}

/** The arms of gbstats' test of RegressionAdjustedRatioStatistic, as sums; its results to full digits by its formula. */
const control: ArmSums = {
  n: 100,
  sums: [485.112236689623, 679.9093275844917, 192.59138069991536, 290.1398399750233],
  products: [
    [2715.484666118136, 3602.146836776702, 1113.6215759318352, 1559.2878434944676],
    [4939.424001640236, 1460.3181079276983, 2130.9404074446747],
    [460.076026390857, 634.239482353647],
    [920.9461385038898],
  ],
};
const treatment: ArmSums = {
  n: 100,
  sums: [514.7757826608777, 705.4090874383759, 206.94157227402536, 302.54389139107326],
  products: [
    [2994.897482705013, 3918.1561431600717, 1237.0953021125997, 1701.0287270040265],
    [5291.36604146392, 1604.0759503266522, 2292.081739775257],
    [514.2903702246757, 698.4173425817908],
    [994.4506208125663],
  ],
};
const gbstats = { theta: 0.8290044254063292, diff: -0.0005005051931390447, se: 0.0027882397747049296 };

/** Makes users with exactly these sums: four orthonormal columns, mixed by the Cholesky factor. */
function usersWith({ n, sums, products }: ArmSums): RatioWithCovariate {
  const normal = normals(n);
  const columns: number[][] = [];
  for (let k = 0; k < 4; k++) {
    let column = Array.from({ length: n }, normal);
    for (const other of [Array.from({ length: n }, () => 1 / Math.sqrt(n)), ...columns]) {
      const along = column.reduce((sum, v, i) => sum + v * other[i]!, 0);
      column = column.map((v, i) => v - along * other[i]!);
    }
    const length = Math.hypot(...column);
    columns.push(column.map((v) => v / length));
  }
  const factor: number[][] = [];
  for (let i = 0; i < 4; i++) {
    const row: number[] = [];
    for (let j = 0; j <= i; j++) {
      const centred = products[j]![i - j]! - (sums[i]! * sums[j]!) / n;
      const left = centred - row.reduce((sum, v, k) => sum + v * (factor[j]?.[k] ?? row[k]!), 0);
      row.push(i === j ? Math.sqrt(left) : left / factor[j]![j]!);
    }
    factor.push(row);
  }
  const [y, d, x, xd] = factor.map((row, k) =>
    Float64Array.from({ length: n }, (_, i) =>
      row.reduce((value, weight, j) => value + weight * columns[j]![i]!, sums[k]! / n),
    ),
  );
  return { y: y!, d: d!, x: x!, xd: xd! };
}

/** Sums up users for the delta method. */
function momentsOf(y: Float64Array, d: Float64Array) {
  const n = y.length;
  const mean = (values: Float64Array) => values.reduce((sum, v) => sum + v, 0) / n;
  const [meanY, meanD] = [mean(y), mean(d)];
  const [centredY, centredD] = [y.map((v) => v - meanY), d.map((v) => v - meanD)];
  const products = (a: Float64Array, b: Float64Array) => a.reduce((sum, v, i) => sum + v * b[i]!, 0);
  return {
    n,
    meanY,
    meanD,
    m2Y: products(centredY, centredY),
    m2D: products(centredD, centredD),
    cYD: products(centredY, centredD),
  };
}

/** Draws users with very different numbers of calls before and after, each at the user's own level. */
function drawUsers(uniform: () => number, n: number): RatioWithCovariate {
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const calls = () => 1 + Math.floor(-5 * Math.log(1 - uniform()));
  const columns = {
    y: new Float64Array(n),
    d: new Float64Array(n),
    x: new Float64Array(n),
    xd: new Float64Array(n),
  };
  for (let i = 0; i < n; i++) {
    const level = 100 * Math.exp(0.4 * normal());
    [columns.d[i], columns.xd[i]] = [calls(), calls()];
    columns.y[i] = columns.d[i]! * level + 20 * Math.sqrt(columns.d[i]!) * normal();
    columns.x[i] = columns.xd[i]! * level + 20 * Math.sqrt(columns.xd[i]!) * normal();
  }
  return columns;
}

describe("cupedRatios", () => {
  const users = { control: usersWith(control), treatment: usersWith(treatment) };

  test("has gbstats' θ, adjusted difference and standard error", () => {
    const { theta } = cupedRatios([users])!;
    const [c, t] = [spreadOf([users.control]), spreadOf([users.treatment])];
    const variance = ({ n, varianceY, varianceX, covariance }: typeof c) =>
      (varianceY - 2 * theta * covariance + theta * theta * varianceX) / n;
    const diff = t.outcome.ratio - c.outcome.ratio - theta * (t.covariate.ratio - c.covariate.ratio);
    expect(theta / gbstats.theta).toBeCloseTo(1, 9);
    expect(diff / gbstats.diff).toBeCloseTo(1, 9);
    expect(Math.sqrt(variance(c) + variance(t)) / gbstats.se).toBeCloseTo(1, 9);
  });

  test("gives the delta method values whose first-order result is the same", () => {
    const { strata, varianceReduction } = cupedRatios([users])!;
    const adjusted = ratioDelta([
      {
        control: momentsOf(strata[0]!.control, users.control.d),
        treatment: momentsOf(strata[0]!.treatment, users.treatment.d),
      },
    ])!;
    const plain = ratioDelta([
      {
        control: momentsOf(users.control.y, users.control.d),
        treatment: momentsOf(users.treatment.y, users.treatment.d),
      },
    ])!;
    expect(Math.abs(adjusted.effect - gbstats.diff)).toBeLessThan(0.01 * gbstats.se);
    expect(adjusted.standardError! / gbstats.se).toBeCloseTo(1, 2);
    expect((adjusted.standardError! / plain.standardError!) ** 2).toBeCloseTo(1 - varianceReduction, 2);
  });

  test("equals the adjustment of means when every user has one call before and after", () => {
    const uniform = createUniform(1);
    const draw = () => {
      const { y, x, d } = drawUsers(uniform, 50);
      return { y, x, d: d.map(() => 1), xd: d.map(() => 1) };
    };
    const stratum = { control: draw(), treatment: draw() };
    expect(cupedRatios([stratum])).toEqual(cupedMeans([stratum]));
  });

  test("keeps the ratio over both arms and does not adjust users without earlier data", () => {
    const uniform = createUniform(2);
    const draw = (level: number) => {
      const { y, d, x, xd } = drawUsers(uniform, 400);
      const hide = (values: Float64Array) => values.map((v, i) => (i < 200 ? Number.NaN : v * level));
      return { y: y.map((v) => v * level), d, x: hide(x), xd: hide(xd) };
    };
    const strata = [1, 2].map((level) => ({ control: draw(level), treatment: draw(level) }));
    const cuped = cupedRatios(strata)!;
    expect(cuped.coverage).toBe(0.5);
    const total = (values: Float64Array) => values.reduce((sum, v) => sum + v, 0);
    for (const [i, { control, treatment }] of strata.entries()) {
      const adjusted = cuped.strata[i]!;
      const before = total(control.y) + total(treatment.y);
      expect((total(adjusted.control) + total(adjusted.treatment)) / before).toBeCloseTo(1, 12);
      expect(adjusted.treatment.slice(0, 200)).toEqual(treatment.y.slice(0, 200));
    }
  });

  test("adjusts nothing when the earlier ratio is the same for all but for rounding", () => {
    const uniform = createUniform(3);
    const draw = () => {
      const { y, d, xd } = drawUsers(uniform, 6);
      return { y, d, xd, x: xd.map((v) => v * 0.1) };
    };
    for (let run = 0; run < 50; run++)
      expect(cupedRatios([{ control: draw(), treatment: draw() }])).toBeNull();
  });

  test("adjusts nothing when there were no calls before", () => {
    const uniform = createUniform(4);
    const draw = () => {
      const { y, d } = drawUsers(uniform, 20);
      return { y, d, x: d.map(() => 0), xd: d.map(() => 0) };
    };
    expect(cupedRatios([{ control: draw(), treatment: draw() }])).toBeNull();
  });
});
