import { describe, expect, test } from "vitest";
import { type WeightedPoint, weightedSlope } from "./weighted-slope.ts";

/** Park and Miller's generator, which is easy to write in any language. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const uniform = uniforms(21);
const points: WeightedPoint[] = Array.from({ length: 60 }, () => {
  const [quality, noise, weight, user] = [uniform(), uniform(), uniform(), uniform()];
  return {
    cluster: Math.floor(20 * user),
    weight: 1 + Math.floor(4 * weight) / 2,
    x: 4 * quality,
    y: quality + 2 * noise,
  };
});

describe("weightedSlope", () => {
  /** statsmodels 0.15.0: WLS(y, add_constant(x), weights=w).fit(cov_type="cluster", cov_kwds={"groups": cluster}); numpy's cov with aweights. */
  test("is weighted least squares with clustered errors", () => {
    expect(weightedSlope(points)).toEqual({
      slope: expect.closeTo(0.26302503991789405, 12),
      standardError: expect.closeTo(0.0540406475987453, 12),
      pValue: expect.closeTo(1.1320741978014694e-6, 15),
      ciLow: expect.closeTo(0.15710731692313232, 12),
      ciHigh: expect.closeTo(0.3689427629126558, 12),
      correlation: expect.closeTo(0.4430023848186451, 12),
    });
  });

  test.each([
    { clusters: [1, 2], isKnown: false },
    { clusters: [1, 2, 2], isKnown: true },
    { clusters: [1, 2, 3], isKnown: true },
    { clusters: [1, 1, 1, 1], isKnown: false },
  ])("needs three points of two clusters: $clusters: $isKnown", ({ clusters, isKnown }) => {
    const few = clusters.map((cluster, i) => ({ cluster, weight: 1, x: i, y: [1, 4, 2, 7][i]! }));
    expect(weightedSlope(few) !== null).toBe(isKnown);
  });

  test("scales with y while p and correlation stay, and changes sign with x", () => {
    const there = weightedSlope(points)!;
    const back = weightedSlope(points.map((point) => ({ ...point, x: 7 - point.x, y: 10 * point.y })))!;
    expect(back.slope).toBeCloseTo(-10 * there.slope, 10);
    expect(back.standardError).toBeCloseTo(10 * there.standardError, 10);
    expect(back.pValue).toBeCloseTo(there.pValue, 12);
    expect(back.correlation).toBeCloseTo(-there.correlation, 12);
  });

  const point = (cluster: number, x: number, y: number) => ({ cluster, weight: 1, x, y });
  test.each([
    { name: "there are no points", of: [] },
    { name: "there are two points", of: [point(1, 0, 0), point(2, 1, 1)] },
    { name: "all are of one cluster", of: [point(1, 0, 0), point(1, 1, 1), point(1, 2, 1)] },
    { name: "x has no spread", of: [point(1, 0.1, 0), point(2, 0.1, 1), point(3, 0.1, 1)] },
    { name: "y has no spread", of: [point(1, 0, 0.1), point(2, 1, 0.1), point(3, 2, 0.1)] },
    {
      name: "all lie on the line",
      of: [point(1, 0, 0.1), point(2, 1, 0.3), point(3, 2, 0.5), point(4, 3, 0.7)],
    },
  ])("is null when $name", ({ of }) => expect(weightedSlope(of)).toBeNull());
});
