import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import { cupedMeans } from "./cuped.ts";

function normals(seed: number): () => number {
  const uniform = createUniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const meanOf = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0) / values.length;
const varianceOf = (values: ArrayLike<number>) => {
  const mean = meanOf(values);
  return Array.from(values).reduce((sum, v) => sum + (v - mean) ** 2, 0) / (values.length - 1);
};
const both = <A>({ control, treatment }: Stratum<A>): A[] => [control, treatment];

/** Draws users whose outcome has unit variance and correlation r with the covariate; `missing` of them have no earlier data. */
function drawMeans(normal: () => number, plan: { n: number; r: number; missing?: number; level?: number }) {
  const { n, r, missing = 0, level = 0 } = plan;
  const before = Float64Array.from({ length: n }, normal);
  const y = before.map((x) => level + r * x + Math.sqrt(1 - r * r) * normal());
  return { y, x: before.map((x, i) => (i < missing * n ? Number.NaN : 10 + 3 * x)) };
}

describe("cupedMeans", () => {
  test("takes θ from both arms' covariances within themselves, and centres by both arms' mean", () => {
    const control = { y: Float64Array.of(1, 2, 6), x: Float64Array.of(0, 1, 2) };
    const treatment = { y: Float64Array.of(11, 12, 16), x: Float64Array.of(2, 3, 4) };
    const cuped = cupedMeans([{ control, treatment }])!;
    expect(cuped.theta).toBeCloseTo(2.5, 12);
    expect(Array.from(cuped.strata[0]!.control)).toEqual([6, 4.5, 6].map((y) => expect.closeTo(y, 12)));
    expect(Array.from(cuped.strata[0]!.treatment)).toEqual([11, 9.5, 11].map((y) => expect.closeTo(y, 12)));
    expect(cuped.coverage).toBe(1);
    expect(cuped.varianceReduction).toBeCloseTo(25 / 28, 12);
  });

  test("leaves half the variance at a correlation of .7", () => {
    const normal = normals(1);
    const draw = () => drawMeans(normal, { n: 20_000, r: 0.7 });
    const stratum = { control: draw(), treatment: draw() };
    const { strata, varianceReduction, theta } = cupedMeans([stratum])!;
    const kept = varianceOf(strata[0]!.control) / varianceOf(stratum.control.y);
    expect(kept).toBeGreaterThan(0.49);
    expect(kept).toBeLessThan(0.53);
    expect(varianceReduction).toBeCloseTo(1 - kept, 2);
    expect(theta).toBeCloseTo(0.7 / 3, 2);
  });

  test("does not adjust users without earlier data, and adjusts the rest as if those were absent", () => {
    const normal = normals(2);
    const draw = () => drawMeans(normal, { n: 400, r: 0.7, missing: 0.5 });
    const stratum = { control: draw(), treatment: draw() };
    const cuped = cupedMeans([stratum])!;
    expect(cuped.coverage).toBe(0.5);
    for (const arm of ["control", "treatment"] as const) {
      expect(cuped.strata[0]![arm].slice(0, 200)).toEqual(stratum[arm].y.slice(0, 200));
      expect(cuped.strata[0]![arm].slice(200)).not.toEqual(stratum[arm].y.slice(200));
    }
  });

  test("keeps every stratum's mean, and leaves a stratum without earlier data as it is", () => {
    const normal = normals(3);
    const draw = (level: number) => drawMeans(normal, { n: 300, r: 0.8, level });
    const unknown = () => ({ y: Float64Array.of(1, 2, 3), x: new Float64Array(3).fill(Number.NaN) });
    const strata = [0, 5].map((level) => ({ control: draw(level), treatment: draw(level) }));
    const cuped = cupedMeans([...strata, { control: unknown(), treatment: unknown() }])!;
    for (const [i, stratum] of strata.entries()) {
      const before = meanOf(both(stratum).flatMap(({ y }) => Array.from(y)));
      expect(meanOf(both(cuped.strata[i]!).flatMap((y) => Array.from(y)))).toBeCloseTo(before, 12);
    }
    expect(cuped.strata[2]).toEqual({ control: unknown().y, treatment: unknown().y });
    expect(cuped.coverage).toBeCloseTo(1200 / 1206, 12);
  });

  test("does not mistake a difference between strata for a correlation", () => {
    const normal = normals(4);
    const arm = (level: number) => ({
      y: Float64Array.from({ length: 500 }, () => level + normal()),
      x: Float64Array.from({ length: 500 }, () => level + normal()),
    });
    const strata = [0, 50].map((level) => ({ control: arm(level), treatment: arm(level) }));
    expect(cupedMeans(strata)).toBeNull();
  });

  const line = Float64Array.from({ length: 10 }, (_, i) => i);
  const flat = new Float64Array(10).fill(0.1);
  test.each([
    {
      name: "fewer than 30 % of the users have earlier data",
      arm: { y: line, x: line.map((x) => (x < 8 ? Number.NaN : x)) },
    },
    { name: "nobody has earlier data", arm: { y: line, x: line.map(() => Number.NaN) } },
    { name: "earlier data have no spread", arm: { y: line, x: flat } },
    { name: "the outcome has no spread", arm: { y: flat, x: line } },
    { name: "an arm has no users", arm: { y: new Float64Array(), x: new Float64Array() } },
    {
      name: "the correlation is weak",
      arm: { y: Float64Array.of(0, 1, 0, 1), x: Float64Array.of(1, 1, 0, 0) },
    },
  ])("adjusts nothing when $name", ({ arm }) => {
    expect(cupedMeans([{ control: arm, treatment: arm }])).toBeNull();
  });

  test("adjusts nothing when only the arms differ, and no user within them", () => {
    const constant = (value: number) => ({ y: flat, x: flat.map(() => value) });
    const outcome = { y: line, x: flat.map(() => 1) };
    expect(
      cupedMeans([{ control: constant(1), treatment: { y: flat.map(() => 3), x: flat.map(() => 2) } }]),
    ).toBeNull();
    expect(
      cupedMeans([{ control: outcome, treatment: { y: line.map((y) => y + 20), x: flat.map(() => 2) } }]),
    ).toBeNull();
  });

  test("adjusts nothing when there are no strata", () => expect(cupedMeans([])).toBeNull());

  test("scales with the outcome's unit, and ignores the covariate's unit and the arms' names", () => {
    const number = fc.double({ min: -100, max: 100, noNaN: true });
    const scale = fc.double({ min: 0.1, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(number, { minLength: 5, maxLength: 20 }), scale, scale, (noise, a, b) => {
        const normal = normals(5);
        const x = Float64Array.from(noise, () => 10 * normal());
        const y = x.map((value, i) => 3 * value + noise[i]! / 10);
        const arm = { y, x };
        const other = { y: y.map((value) => value + normal()), x: x.map((value) => value + 1) };
        const scaled = ({ y, x }: typeof arm) => ({ y: y.map((v) => a * v + 7), x: x.map((v) => b * v - 2) });
        const plain = cupedMeans([{ control: arm, treatment: other }])!;
        const swapped = cupedMeans([{ control: other, treatment: arm }])!;
        const moved = cupedMeans([{ control: scaled(arm), treatment: scaled(other) }])!;
        expect(swapped.theta / plain.theta).toBeCloseTo(1, 9);
        expect((moved.theta * b) / (plain.theta * a)).toBeCloseTo(1, 9);
        for (const [i, value] of plain.strata[0]!.control.entries()) {
          expect(swapped.strata[0]!.treatment[i]).toBeCloseTo(value, 8);
          expect(moved.strata[0]!.control[i]).toBeCloseTo(a * value + 7, 7);
        }
      }),
    );
  });
});
