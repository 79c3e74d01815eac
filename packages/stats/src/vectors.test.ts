import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type CovariateFit, fitCovariate, type Spread } from "./cuped/cuped-fit.ts";
import { chiSquareSf } from "./distributions/chi-square.ts";
import { logGamma } from "./distributions/log-gamma.ts";
import { normalCdf, normalQuantile, normalSf } from "./distributions/normal.ts";
import { studentTQuantile, studentTSf } from "./distributions/student-t.ts";
import { adjustFdr } from "./fdr.ts";
import { fisherExact } from "./methods/fisher-exact.ts";
import { mannWhitneyU, normalRankSumP } from "./methods/mann-whitney-u.ts";
import { newcombeInterval, wilsonInterval } from "./methods/proportions.ts";
import { rankSum } from "./methods/rank-sum.ts";
import { twoProportionZ } from "./methods/two-proportion-z.ts";
import { welchT } from "./methods/welch-t.ts";
import { type Moments, momentsFromSums, momentsOf } from "./moments.ts";
import { permuteScores } from "./permutation/permute-scores.ts";
import { powerOf } from "./planning/power.ts";
import { logMixture, mixtureBound, mixtureRho } from "./sequential.ts";
import { exactBinomial } from "./srm/exact-split.ts";
import { splitLikelihoods } from "./srm/sequential-srm.ts";
import { srmTest } from "./srm/srm-test.ts";
import { satterthwaiteDf } from "./strata.ts";

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

/** Lists the numbers of a sample, given as a list or as "linspace(first,last,n)". */
function sample(source: readonly number[] | string): Float64Array {
  if (typeof source !== "string") return Float64Array.from(source);
  const [first = 0, last = 0, n = 0] = source.slice("linspace(".length, -1).split(",").map(Number);
  return Float64Array.from({ length: n }, (_, i) => first + ((last - first) * i) / (n - 1));
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
const asStratum = ({ c1, n1, c2, n2 }: TwoCounts) => ({
  control: { successes: c2, n: n2 },
  treatment: { successes: c1, n: n1 },
});

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

/** The degrees of freedom of the test, which its outcome contains only through the critical value. */
function dfOf(control: Moments, treatment: Moments): number {
  const toEstimate = ({ n, m2 }: Moments) => ({ variance: m2 / (n - 1) / n, df: n - 1 });
  return satterthwaiteDf(toEstimate(control), toEstimate(treatment));
}

interface Samples {
  readonly x: readonly number[];
  readonly y: readonly number[];
}
const asArms = ({ x, y }: Samples) => ({ control: sample(y), treatment: sample(x) });

function mannWhitney(arms: ReturnType<typeof asArms>, continuity: boolean): Values {
  const ranks = rankSum(arms)!;
  const z = Math.abs(ranks.u - ranks.pairs / 2) / Math.sqrt(ranks.nullVariance);
  return { U: ranks.u, p: continuity ? normalRankSumP([ranks], [1]) : 2 * normalSf(z) };
}

/** Counts the relabelings whose difference, plain and studentised, is at least the observed one. */
function enumerate({ x, y }: Samples) {
  const all = [...x, ...y];
  const differences = (chosen: readonly number[]) => {
    const own = chosen.map((i) => all[i]!);
    const others = [...all.keys()].filter((i) => !chosen.includes(i)).map((i) => all[i]!);
    const [a, b] = [momentsOf(sample(own)), momentsOf(sample(others))];
    const gap = Math.abs(a.mean - b.mean);
    const variance = a.m2 / (a.n - 1) / a.n + b.m2 / (b.n - 1) / b.n;
    return { gap, t: gap < 1e-12 ? 0 : gap / Math.sqrt(variance) };
  };
  const observed = differences([...x.keys()]);
  const counts = { total: 0, gaps: 0, ts: 0 };
  const visit = (chosen: number[], from: number) => {
    if (chosen.length === x.length) {
      const { gap, t } = differences(chosen);
      counts.total++;
      if (gap >= observed.gap * (1 - 1e-12)) counts.gaps++;
      if (t >= observed.t * (1 - 1e-12)) counts.ts++;
      return;
    }
    for (let i = from; i <= all.length - (x.length - chosen.length); i++) visit([...chosen, i], i + 1);
  };
  visit([], 0);
  return counts;
}

/** Integrates over the variance (Simpson), because Student's noncentral t is normal given the variance. */
function powerOfT({ d, n_per_arm, alpha }: { d: number; n_per_arm: number; alpha: number }): number {
  const df = 2 * n_per_arm - 2;
  const shift = d * Math.sqrt(n_per_arm / 2);
  const critical = studentTQuantile(1 - alpha / 2, df);
  const steps = 2_000;
  const term = (i: number) => {
    const s = (3 * i) / steps;
    const logDensity =
      Math.LN2 + (df / 2) * Math.log(df / 2) - logGamma(df / 2) + (df - 1) * Math.log(s) - (df * s * s) / 2;
    const rejects = normalSf(critical * s - shift) + normalSf(critical * s + shift);
    return (i === steps ? 1 : 2 + 2 * (i % 2)) * Math.exp(logDensity) * rejects;
  };
  return Array.from({ length: steps }, (_, i) => term(i + 1)).reduce((a, b) => a + b) / steps;
}

/** Finds x in [0, 1,000] where a decreasing function has the given value. */
function solve(f: (x: number) => number, value: number): number {
  let [low, high] = [0, 1_000];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (f(middle) > value) low = middle;
    else high = middle;
  }
  return low;
}

type Sum = readonly [sum: number, squares: number];
type CupedSums = Readonly<Record<"m_post" | "d_post" | "m_pre" | "d_pre", Sum>> &
  Readonly<Record<"n" | "mp_mr" | "dp_dr" | "mr_dr" | "mp_dp" | "mp_dr" | "mr_dp", number>>;

/** Linearises both ratios of an arm. m and d are numerator and denominator; in "mp" and "mr", p is post and r is pre. */
function spreadOf(arm: CupedSums): Spread {
  const { n, m_post: m, d_post: d, m_pre: x, d_pre: xd } = arm;
  const centre = (a: Sum, b: Sum) => ({ ratio: a[0] / b[0], denominator: b[0] / n });
  const [outcome, covariate] = [centre(m, d), centre(x, xd)];
  const [r, rx] = [outcome.ratio, covariate.ratio];
  const spread = (sum: number, scale: number) => sum / (n - 1) / scale;
  const cross = arm.mp_mr - rx * arm.mp_dr - r * arm.mr_dp + r * rx * arm.dp_dr;
  return {
    n,
    outcome,
    covariate,
    varianceY: spread(m[1] - 2 * r * arm.mp_dp + r * r * d[1], outcome.denominator ** 2),
    varianceX: spread(x[1] - 2 * rx * arm.mr_dr + rx * rx * xd[1], covariate.denominator ** 2),
    covariance: spread(cross, outcome.denominator * covariate.denominator),
  };
}

function adjustedVariance({ n, varianceY, varianceX, covariance }: Spread, { theta }: CovariateFit): number {
  return (varianceY - 2 * theta * covariance + theta * theta * varianceX) / n;
}

/** Computes the values that a vector of each kind expects. Vectors of a kind that is missing here fail. */
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
    const [control, treatment] = [momentsOf(sample(b)), momentsOf(sample(a))];
    const { statistic, pValue, ciLow, ciHigh } = welchT([{ control, treatment }])!;
    return { t: statistic!, p: pValue, ci: [ciLow!, ciHigh!], df: dfOf(control, treatment) };
  },
  welch_moments: (input: { control: Sums; treatment: Sums }) => {
    const [control, treatment] = [fromSums(input.control), fromSums(input.treatment)];
    const { effect, pValue, ciLow, ciHigh, relative } = welchT([{ control, treatment }])!;
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
    const { statistic, pValue } = twoProportionZ([asStratum(input)])!;
    return { z: statistic!, p: pValue };
  },
  newcombe: (input: TwoCounts) => {
    const ci = newcombeInterval([asStratum(input)]);
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
  chi2_isf: ({ q, df }: { q: number; df: number }) => ({ x: solve((x) => chiSquareSf(x, df), q) }),
  z_means: ({ a, b }: { a: number[]; b: number[] }) => {
    const arms = { control: momentsOf(sample(b)), treatment: momentsOf(sample(a)) };
    const { effect, standardError } = welchT([arms])!;
    const [z, half] = [effect / standardError!, normalQuantile(0.975) * standardError!];
    return { z, p: 2 * normalSf(Math.abs(z)), ci: [effect - half, effect + half] };
  },
  mwu: ({ continuity, ...samples }: Samples & { continuity: boolean }) =>
    mannWhitney(asArms(samples), continuity),
  mwu_exact: (samples: Samples) => {
    const { statistic, pValue } = mannWhitneyU([asArms(samples)])!;
    return { U: statistic!, p: pValue };
  },
  mwu_counts: (input: Record<"values" | "x_counts" | "y_counts", number[]> & { continuity: boolean }) => {
    const repeat = (counts: number[]) =>
      input.values.flatMap((value, i) => new Array<number>(counts[i]!).fill(value));
    return mannWhitney(asArms({ x: repeat(input.x_counts), y: repeat(input.y_counts) }), input.continuity);
  },
  perm_exact: (samples: Samples) => {
    const { total, gaps, ts } = enumerate(samples);
    const strata = [asArms(samples)];
    // Larger numbers of relabelings are sampled.
    const isEnumerated = total <= 50_000;
    const p = isEnumerated ? permuteScores(strata, { permutations: 0, seed: 0 })!.pValue : ts / total;
    return { p_diff: gaps / total, diff_count: gaps, p_studentised: p, stud_count: ts, total };
  },
  agresti_caffo: ({ c1, n1, c2, n2 }: TwoCounts) => {
    const [p, q] = [(c1 + 1) / (n1 + 2), (c2 + 1) / (n2 + 2)];
    const half = normalQuantile(0.975) * Math.sqrt((p * (1 - p)) / (n1 + 2) + (q * (1 - q)) / (n2 + 2));
    return { ci: [p - q - half, p - q + half] };
  },
  ssrm: ({ counts, weights, dirichlet }: Record<"counts" | "weights" | "dirichlet", number[]>) => {
    const { logAlternative, logNull } = splitLikelihoods({ counts, weights, prior: dirichlet });
    return { log_m1: logAlternative, log_m0: logNull, log_bf: logAlternative - logNull };
  },
  power_t: (plan: { d: number; n_per_arm: number; alpha: number }) => ({ power: powerOfT(plan) }),
  power_z: ({ d, n_per_arm, alpha }: { d: number; n_per_arm: number; alpha: number }) => ({
    power: powerOf({ effect: d, standardError: Math.sqrt(2 / n_per_arm), alpha }),
  }),
  cuped_ratio: (arms: { control: CupedSums; treatment: CupedSums }) => {
    const [control, treatment] = [spreadOf(arms.control), spreadOf(arms.treatment)];
    const fit = fitCovariate([control, treatment].map((spread) => ({ weight: 1, spread })));
    const gap = (of: "outcome" | "covariate") => treatment[of].ratio - control[of].ratio;
    const diff = gap("outcome") - fit.theta * gap("covariate");
    const rel = diff / control.outcome.ratio;
    return {
      theta: fit.theta,
      diff,
      se: Math.sqrt(adjustedVariance(control, fit) + adjustedVariance(treatment, fit)),
      rel,
      published_rel: Math.round(rel * 1e5) / 1e5,
    };
  },
};

/** Published figures carry their own, fewer digits. */
function tolerance(key: string, relative: number): number {
  if (key === "published") return 1e-6;
  return key === "published_4dp" ? 1e-9 : relative;
}

describe("reference values", () => {
  test("are all there, each once", () => {
    expect(file.count).toBe(80);
    expect(new Set(file.values.map(({ id }) => id)).size).toBe(80);
  });

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
