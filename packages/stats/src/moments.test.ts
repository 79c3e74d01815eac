import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Moments,
  mergeMoments,
  mergeRatioMoments,
  momentsFromSums,
  momentsOf,
  ratioMomentsFromSums,
  ratioMomentsOf,
} from "./moments.ts";

const EMPTY: Moments = { n: 0, mean: 0, m2: 0 };
const one = (mean: number): Moments => ({ n: 1, mean, m2: 0 });
const closeTo = (value: number) => expect.closeTo(value, 6);

describe("momentsFromSums", () => {
  const shifted = (values: readonly number[], shift: number) => ({
    n: values.length,
    sum: values.reduce((sum, x) => sum + (x - shift), 0),
    sumSquares: values.reduce((sum, x) => sum + (x - shift) ** 2, 0),
    shift,
  });

  test.each([
    { name: "centres sums", sums: shifted([1, 2, 6], 0), moments: { n: 3, mean: 3, m2: 14 } },
    {
      name: "undoes the shift",
      sums: shifted([1e9 + 1, 1e9 + 2, 1e9 + 6], 1e9),
      moments: { n: 3, mean: 1e9 + 3, m2: 14 },
    },
    {
      name: "sees no spread in a constant",
      sums: shifted(new Array(1000).fill(0.1), 0),
      moments: { n: 1000, mean: 0.1, m2: 0 },
    },
    { name: "is null without users", sums: shifted([], 0), moments: null },
    { name: "refuses an overflow", sums: shifted([1e300, -1e300], 0), moments: null },
    { name: "refuses NaN", sums: shifted([Number.NaN], 0), moments: null },
  ])("$name", ({ sums, moments }) => {
    expect(momentsFromSums(sums)).toEqual(
      moments && { n: moments.n, mean: closeTo(moments.mean), m2: closeTo(moments.m2) },
    );
  });

  test("centres the two values of a ratio and their product", () => {
    const y = shifted([1, 4, 7], 2);
    const d = shifted([1, 2, 6], 1);
    const moments = ratioMomentsFromSums({ y, d, sumProducts: (1 - 2) * 0 + (4 - 2) * 1 + (7 - 2) * 5 });
    expect(moments).toEqual({ n: 3, meanY: 4, meanD: 3, m2Y: 18, m2D: 14, cYD: 15 });
  });

  test.each([
    { name: "y", y: shifted([1e300], 0), d: shifted([1], 0), sumProducts: 0 },
    { name: "d", y: shifted([1], 0), d: shifted([1e300], 0), sumProducts: 0 },
    { name: "their product", y: shifted([1], 0), d: shifted([1], 0), sumProducts: Number.POSITIVE_INFINITY },
  ])("refuses a ratio when $name overflows", (sums) => expect(ratioMomentsFromSums(sums)).toBeNull());
});

describe("merging", () => {
  test("merging two empty groups gives an empty group", () =>
    expect(mergeMoments(EMPTY, EMPTY)).toEqual(EMPTY));

  const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 40 });

  test("any split gives the moments of one pass", () => {
    fc.assert(
      fc.property(values, fc.nat(), (xs, cut) => {
        const at = cut % (xs.length + 1);
        const [left = EMPTY, right = EMPTY] = [xs.slice(0, at), xs.slice(at)].map((part) =>
          part.map(one).reduce(mergeMoments, EMPTY),
        );
        const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
        const m2 = xs.reduce((sum, x) => sum + (x - mean) ** 2, 0);
        const merged = mergeMoments(left, right);
        expect(merged).toEqual({ n: xs.length, mean: closeTo(mean), m2: closeTo(m2) });
      }),
    );
  });

  test("any split of pairs gives the covariance of one pass", () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 9 })), {
      minLength: 2,
    });
    fc.assert(
      fc.property(pairs, fc.nat(), (users, cut) => {
        const moments = users.map(([meanY, meanD]) => ({ n: 1, meanY, meanD, m2Y: 0, m2D: 0, cYD: 0 }));
        const at = 1 + (cut % (users.length - 1));
        const merged = mergeRatioMoments(
          moments.slice(0, at).reduce(mergeRatioMoments),
          moments.slice(at).reduce(mergeRatioMoments),
        );
        const cYD = users.reduce((sum, [y, d]) => sum + (y - merged.meanY) * (d - merged.meanD), 0);
        expect(merged.cYD).toBeCloseTo(cYD, 6);
      }),
    );
  });
});

describe("moments of users", () => {
  const large = Float64Array.of(1e9 + 1, 1e9 + 2, 1e9 + 6);

  test("keep the digits of the spread", () => {
    expect(momentsOf(large)).toEqual({ n: 3, mean: 1e9 + 3, m2: 14 });
    expect(ratioMomentsOf({ y: large, d: Float64Array.of(1, 3, 2) })).toEqual({
      n: 3,
      meanY: 1e9 + 3,
      meanD: 2,
      m2Y: 14,
      m2D: 2,
      cYD: 1,
    });
  });

  test("are NaN without users", () => {
    expect(momentsOf(new Float64Array())).toEqual({ n: 0, mean: Number.NaN, m2: 0 });
  });
});
