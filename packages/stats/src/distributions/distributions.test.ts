import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binomialLogPmf, devianceTerm } from "./binomial.ts";
import { chiSquareSf } from "./chi-square.ts";
import { regularisedBeta } from "./incomplete-beta.ts";
import { logGamma } from "./log-gamma.ts";
import { normalCdf, normalQuantile, normalSf } from "./normal.ts";
import { studentTQuantile, studentTSf } from "./student-t.ts";
import { twoSidedExact } from "./two-sided-exact.ts";

/**
 * Golden values: mpmath 1.4.1 with 60 digits (`erfc`, `betainc(..., regularized=True)`, `gammainc(..., regularized=True)`,
 * `loggamma`, `findroot` for quantiles, the continued fraction DLMF 8.17.22 for t with 1e7 degrees of freedom) and
 * scipy 1.17.1 `stats.t.ppf`.
 */
const relativeError = (actual: number, expected: number) =>
  actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);

describe("normal distribution", () => {
  test.each([
    [Number.NEGATIVE_INFINITY, 1],
    [-8, 0.9999999999999993],
    [-1, 0.8413447460685429],
    [0, 0.5],
    [0.1, 0.460172162722971],
    [1.7, 0.04456546275854304],
    [1.75, 0.04005915686381709],
    [5, 2.866515718791939e-7],
    [8, 6.220960574271784e-16],
    [20, 2.7536241186062337e-89],
    [30, 4.906713927148187e-198],
    [37, 5.725571222524577e-300],
    [1e200, 0],
    [Number.POSITIVE_INFINITY, 0],
  ])("tail above %d is %d", (z, sf) => {
    expect(relativeError(normalSf(z), sf)).toBeLessThan(2e-13);
    expect(normalCdf(-z)).toBe(normalSf(z));
  });

  test.each([
    [0, Number.NEGATIVE_INFINITY],
    [1e-300, -37.0470962993612],
    [1e-100, -21.273453560965326],
    [1e-12, -7.034483825301132],
    [0.025, -1.9599639845400543],
    [0.074, -1.4466320671589785],
    [0.076, -1.4325027208258116],
    [0.5, 0],
    [0.8, 0.8416212335729144],
    [0.9999, 3.7190164854557084],
    [1, Number.POSITIVE_INFINITY],
  ])("quantile of %d is %d", (p, z) => {
    expect(relativeError(normalQuantile(p), z)).toBeLessThan(2e-15);
  });

  test.each([-0.1, 1.1, Number.NaN])("has no quantile of %d", (p) => expect(normalQuantile(p)).toBeNaN());
});

describe("Student's t", () => {
  test.each([
    [Number.NEGATIVE_INFINITY, 5, 1],
    [Number.POSITIVE_INFINITY, 5, 0],
    [Number.POSITIVE_INFINITY, 1e7, 0],
    [2, Number.POSITIVE_INFINITY, 0.02275013194817921],
    [0, 3, 0.5],
    [-1, 1, 0.75],
    [0.01, 1, 0.49681700723509176],
    [1e4, 1, 3.183098851227577e-5],
    [1.7, 3.41, 0.08829750674604223],
    [1e4, 3.41, 3.727839907635412e-14],
    [1.9, 1000, 0.02886027935285222],
    [15, 1000, 2.5051194684978247e-46],
    [1.7, 19_999, 0.04457323746454479],
    [15, 19_999, 6.918326923426315e-51],
    [1.7, 20_001, 0.04457323668711453],
    [15, 20_001, 6.917891781688898e-51],
    [36, 20_001, 2.3826333929058045e-275],
    [0.5, 1e7, 0.3085375442270075],
    [5, 1e7, 2.8665640375042696e-7],
    [20, 1e7, 2.7647156034788506e-89],
    [36, 1e7, 4.3622603845714644e-284],
  ])("tail above %d with %d degrees of freedom is %d", (t, df, sf) => {
    expect(relativeError(studentTSf(t, df), sf)).toBeLessThan(2e-12);
  });

  test("treats a t whose square overflows as 1e150", () => {
    expect(studentTSf(1e200, 1)).toBe(studentTSf(1e150, 1));
  });

  test.each([
    [0, 5, Number.NEGATIVE_INFINITY],
    [1, 5, Number.POSITIVE_INFINITY],
    [0.5, 5, 0],
    [0.975, 1, 12.706204736174694],
    [0.975, 3.41, 2.976557926136192],
    [0.975, 10, 2.228138851986274],
    [0.975, 5841.7, 1.9603701598775602],
    [0.975, 1e7, 1.959964221767205],
    [0.975, Number.POSITIVE_INFINITY, 1.9599639845400538],
    [1e-8, 2, -7071.067705799458],
    [1e-30, 10, -2564.5239317426153],
    [1e-100, 3.41, -2.4407546604039614e29],
    [0.2, 100, -0.8452304244910159],
  ])("quantile of %d with %d degrees of freedom is %d", (p, df, t) => {
    expect(relativeError(studentTQuantile(p, df), t)).toBeLessThan(1e-12);
  });
});

test.each([
  [-1, 3, 1],
  [0, 3, 1],
  [0.001, 1, 0.9747728793699604],
  [3.84, 1, 0.050043521248705106],
  [100, 1, 1.523970604832105e-23],
  [1300, 1, 1.1303728441492743e-284],
  [0.1, 5, 0.9998376833880774],
  [1400, 9, 7.730994243999156e-296],
  [80, 100, 0.9296649333406051],
  [1000, 100, 2.306076738035398e-148],
  [100_000, 99_000, 0.012503086996302764],
  [Number.POSITIVE_INFINITY, 3, 0],
])("chi-square tail above %d with %d degrees of freedom is %d", (x, df, sf) => {
  expect(relativeError(chiSquareSf(x, df), sf)).toBeLessThan(1e-12);
});

test.each([
  [0, 0, 0.3, 0],
  [0, 10, 0.3, -3.5667494393873236],
  [10, 10, 0.3, -12.03972804325936],
  [0, 10, 0, 0],
  [3, 10, 0, Number.NEGATIVE_INFINITY],
  [10, 10, 1, 0],
  [3, 10, 0.5, -2.1439800628174073],
  [5, 1_000_000, 1e-6, -5.787497242794879],
  [500_000, 1_000_000, 0.5, -7.133546881626865],
  [0, 1_000_000, 1e-9, -0.0010000000005],
  [99, 100, 0.01, -451.3167285626865],
  [4, 7, 0.9999, -24.0760730744408],
])("log probability of %d successes in %d trials at p = %d is %d", (k, n, p, log) => {
  expect(relativeError(binomialLogPmf(k, n, p), log)).toBeLessThan(1e-14);
});

test("the deviance of NaN is NaN, and the loop ends", () => {
  expect(devianceTerm(Number.NaN, 1)).toBeNaN();
});

test.each([
  [0.25, 1.2880225246980774],
  [1.5, -0.12078223763524522],
  [10, 12.801827480081469],
  [100_000, 1051287.7089736569],
  [1e10, 220258509288.81058],
])("log gamma of %d is %d", (x, log) => {
  expect(relativeError(logGamma(x), log)).toBeLessThan(5e-15);
});

test("Student's t where both sides of the switch point round to beyond it", () => {
  for (const [df, t] of [
    [17, 1.6383560438182505],
    [26, 1.6690459207925605],
    [52, 1.699673171197595],
  ] as const) {
    const [x, y] = [df / (df + t * t), (t * t) / (df + t * t)];
    expect(Math.min(x * (df / 2 + 2.5) - (df / 2 + 1), y * (df / 2 + 2.5) - 1.5)).toBeGreaterThanOrEqual(0);
    expect(relativeError(studentTSf(t, df), studentTSf(t * (1 + 1e-12), df))).toBeLessThan(1e-11);
  }
});

describe("invariants", () => {
  const t = fc.double({ min: -30, max: 30, noNaN: true });
  const df = fc.double({ min: 1, max: 1e6, noNaN: true });

  test("both tails add up to one", () => {
    fc.assert(
      fc.property(t, df, (x, k) => {
        expect(studentTSf(x, k) + studentTSf(-x, k)).toBeCloseTo(1, 14);
        expect(normalSf(x) + normalSf(-x)).toBeCloseTo(1, 14);
      }),
    );
  });

  test("the tail falls as t grows", () => {
    fc.assert(
      fc.property(t, fc.double({ min: 1e-6, max: 5, noNaN: true }), df, (x, step, k) => {
        expect(studentTSf(x + step, k)).toBeLessThanOrEqual(studentTSf(x, k));
      }),
    );
  });

  test("the quantile undoes the tail", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-60, max: 0.49, noNaN: true }), df, (p, k) => {
        expect(relativeError(studentTSf(-studentTQuantile(p, k), k), p)).toBeLessThan(1e-10);
        expect(relativeError(normalCdf(normalQuantile(p)), p)).toBeLessThan(1e-12);
      }),
    );
  });

  test("the incomplete beta function is 0 at 0 and mirrors", () => {
    expect(regularisedBeta({ x: 0, y: 1, a: 2, b: 3 })).toBe(0);
    const shape = fc.double({ min: 0.5, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), shape, shape, (x, a, b) => {
        const mirrored = regularisedBeta({ x: 1 - x, y: x, a: b, b: a });
        expect(regularisedBeta({ x, y: 1 - x, a, b }) + mirrored).toBeCloseTo(1, 12);
      }),
    );
  });

  test("the exact two-sided p-value is the sum over outcomes no more likely than the observed one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.nat(),
        (n, p, pick) => {
          const observed = pick % (n + 1);
          const logPmf = (k: number) => binomialLogPmf(k, n, p);
          const all = Array.from({ length: n + 1 }, (_, k) => logPmf(k));
          const direct = all
            .filter((log) => log <= logPmf(observed) + 1e-7)
            .reduce((sum, log) => sum + Math.exp(log), 0);
          const mode = Math.min(n, Math.floor((n + 1) * p));
          const exact = twoSidedExact({ logPmf, low: 0, high: n, mode }, observed);
          expect(relativeError(exact, Math.min(1, direct))).toBeLessThan(1e-9);
        },
      ),
    );
  });
});
