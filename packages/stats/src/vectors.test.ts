import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chiSquareSf } from "./distributions/chi-square.ts";
import { normalCdf, normalSf } from "./distributions/normal.ts";
import { studentTSf } from "./distributions/student-t.ts";
import { adjustFdr } from "./fdr.ts";
import { type Moments, mergeMoments, momentsFromSums } from "./moments.ts";
import { logMixture, mixtureBound, mixtureRho } from "./sequential.ts";
import { exactBinomial } from "./srm/exact-split.ts";
import { srmTest } from "./srm.ts";
import { fisherExact } from "./tests/fisher-exact.ts";
import { newcombeInterval, wilsonInterval } from "./tests/proportions.ts";
import { welchDf } from "./tests/studentised-difference.ts";
import { twoProportionZ } from "./tests/two-proportion-z.ts";
import { welchT } from "./tests/welch-t.ts";

type Values = Record<string, number | readonly number[]>;

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly input: never;
  readonly expected: Values;
  readonly rel_tol: number;
}

const file = JSON.parse(readFileSync(new URL("../vectors/statistics.json", import.meta.url), "utf8")) as {
  count: number;
  values: Vector[];
};

/** Lists the numbers of a sample: as they stand or as "linspace(first,last,n)". */
function sample(source: readonly number[] | string): readonly number[] {
  if (typeof source !== "string") return source;
  const [first = 0, last = 0, n = 0] = source.slice("linspace(".length, -1).split(",").map(Number);
  return Array.from({ length: n }, (_, i) => first + ((last - first) * i) / (n - 1));
}

function momentsOf(source: readonly number[] | string): Moments {
  return sample(source)
    .map((mean) => ({ n: 1, mean, m2: 0 }))
    .reduce(mergeMoments);
}

/** Parses a probability written as a number or as a fraction. */
function fraction(p: number | string): number {
  const [top = 0, bottom = 1] = String(p).split("/").map(Number);
  return top / bottom;
}

interface TwoCounts {
  readonly c1: number;
  readonly n1: number;
  readonly c2: number;
  readonly n2: number;
}
const first = ({ c1, n1 }: TwoCounts) => ({ successes: c1, n: n1 });
const second = ({ c2, n2 }: TwoCounts) => ({ successes: c2, n: n2 });

interface Sums {
  readonly n: number;
  readonly sum: number;
  readonly sum_squares: number;
}
const fromSums = ({ n, sum, sum_squares }: Sums) =>
  momentsFromSums({ n, sum, sumSquares: sum_squares, shift: 0 })!;

interface Mixture {
  readonly s: number;
  readonly v: number;
  readonly alpha: number;
  readonly v_opt: number;
  readonly alpha_opt: number;
}

/** The degrees of freedom that the test uses; its outcome has them only in the critical value. */
function dfOf(control: Moments, treatment: Moments): number {
  const toEstimate = ({ n, mean, m2 }: Moments) => ({ n, value: mean, variance: m2 / (n - 1) / n });
  return welchDf(toEstimate(control), toEstimate(treatment));
}

/** Computes what a vector of each kind expects. A kind that is missing here fails its vectors. */
const compute: Record<string, (input: never) => Values> = {
  norm_sf: ({ z }: { z: number }) => ({ sf: normalSf(z) }),
  norm_cdf: ({ z }: { z: number }) => ({ cdf: normalCdf(z) }),
  t_sf: ({ t, df }: { t: number; df: number }) => ({ sf: studentTSf(t, df) }),
  t_cdf: ({ t, df }: { t: number; df: number }) => ({ cdf: studentTSf(-t, df) }),
  chi2_sf: ({ x, df }: { x: number; df: number }) => ({ sf: chiSquareSf(x, df) }),
  srm_chi2: ({ counts, weights }: { counts: number[]; weights: number[] }) => {
    const users = counts.reduce((sum, count) => sum + count, 0);
    const { statistic, pValue } = srmTest({
      periods: [{ shares: weights, users }],
      observed: counts,
      seed: 1,
    });
    return { statistic: statistic!, p: pValue };
  },
  welch_t: ({ a, b }: { a: number[] | string; b: number[] | string }) => {
    const [control, treatment] = [momentsOf(b), momentsOf(a)];
    const { statistic, pValue, ciLow, ciHigh } = welchT(control, treatment)!;
    return { t: statistic!, p: pValue, ci: [ciLow!, ciHigh!], df: dfOf(control, treatment) };
  },
  welch_moments: (input: { control: Sums; treatment: Sums }) => {
    const [control, treatment] = [fromSums(input.control), fromSums(input.treatment)];
    const { effect, pValue, ciLow, ciHigh, relative } = welchT(control, treatment)!;
    return {
      diff: effect,
      ci: [ciLow!, ciHigh!],
      p: pValue,
      df: dfOf(control, treatment),
      lift: relative.effect!,
      lift_ci_fieller: [relative.ciLow!, relative.ciHigh!],
    };
  },
  two_prop_z: (input: TwoCounts) => {
    const { statistic, pValue } = twoProportionZ(second(input), first(input))!;
    return { z: statistic!, p: pValue };
  },
  newcombe: (input: TwoCounts) => {
    const ci = newcombeInterval(second(input), first(input));
    return { ci, published_4dp: ci.map((bound) => Math.round(bound * 1e4) / 1e4) };
  },
  wilson: ({ count, n }: { count: number; n: number }) => ({ ci: wilsonInterval({ successes: count, n }) }),
  binom_exact: ({ k, n, p }: { k: number; n: number; p: number | string }) => ({
    p: exactBinomial(k, n, fraction(p)),
  }),
  fisher: ({ table: [[a, b], [c, d]] }: { table: [[number, number], [number, number]] }) => ({
    p: fisherExact({ successes: c, n: c + d }, { successes: a, n: a + b })!.pValue,
  }),
  bh: ({ p, alpha = 0.05 }: { p: number[]; alpha?: number }) => {
    const adj = adjustFdr(p);
    return { adj, n_rejected: adj.filter((value) => value < alpha).length };
  },
  cs_best_rho: ({ v_opt, alpha }: Mixture) => {
    const rho = mixtureRho(v_opt, alpha);
    return { rho, published: Number(rho.toPrecision(7)) };
  },
  cs_log_mixture: ({ s, v, v_opt, alpha_opt }: Mixture) => {
    const log = logMixture(s, v, mixtureRho(v_opt, alpha_opt));
    return { log_e: log, published: Number(log.toPrecision(7)) };
  },
  cs_bound: ({ v, alpha, v_opt, alpha_opt }: Mixture) => {
    const bound = mixtureBound(v, mixtureRho(v_opt, alpha_opt), alpha);
    return { bound, published: Number(bound.toPrecision(7)) };
  },
};

/** Published figures carry their own, fewer digits. */
function tolerance(key: string, relative: number): number {
  if (key === "published") return 1e-6;
  return key === "published_4dp" ? 1e-9 : relative;
}

describe("reference values", () => {
  test("are all there", () => expect(file.values).toHaveLength(file.count));

  test.each(file.values)("$kind $id", ({ kind, input, expected, rel_tol }) => {
    const actual = compute[kind]!(input);
    for (const [key, value] of Object.entries(expected)) {
      const wanted = [value].flat();
      const got = [actual[key]!].flat();
      expect(got).toHaveLength(wanted.length);
      for (const [i, number] of wanted.entries()) {
        const error = Math.abs(got[i]! - number);
        expect(error, `${key}: ${got[i]} instead of ${number}`).toBeLessThanOrEqual(
          tolerance(key, rel_tol) * Math.abs(number),
        );
      }
    }
  });
});
