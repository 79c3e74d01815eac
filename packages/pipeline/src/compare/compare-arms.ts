import type { CovariateAdjustment, MetricDefinition, UserValues } from "@assay/domain";
import {
  type BinaryCounts,
  type BootstrapFunctional,
  bootstrapMean,
  bootstrapQuantile,
  bootstrapRatio,
  type Cuped,
  clusterBootstrap,
  clusterQuantile,
  cupedMeans,
  cupedRatios,
  fisherExact,
  hodgesLehmannShift,
  isRuledByOneUser,
  mannWhitneyU,
  mapStrata,
  momentsOf,
  type PermutationOptions,
  permuteMeans,
  permuteProportions,
  permuteRatios,
  type RatioUsers,
  ratioDelta,
  ratioMomentsOf,
  type Stratum,
  skewnessOf,
  smallestExpectedCell,
  sumOf,
  type TestOutcome,
  twoProportionZ,
  welchT,
} from "@assay/stats";
import type { ArmData } from "./arm-data.ts";
import { chooseTest, type RunnableTest } from "./choose-test.ts";

/** `isComplete`: the interval decides something (a margin), so that no permutation is saved. */
export type CompareOptions = PermutationOptions;

export interface Comparison {
  readonly outcome: TestOutcome;
  readonly cuped: CovariateAdjustment | null;
  /** Hodges–Lehmann shift; only of mann_whitney_u. */
  readonly shift: number | null;
  /** Users that the test used. */
  readonly users: { readonly control: number; readonly treatment: number };
  /** For a binary metric, the counts from which its always-valid evidence is computed; null for other kinds. */
  readonly proportions: readonly Stratum<BinaryCounts>[] | null;
  /**
   * Skewness of what the users bring to the effect (of a ratio: y − R d), over all whose values were read. Null: of another
   * kind of effect, or no values were read.
   */
  readonly skewness: number | null;
}

type Strata = readonly Stratum<ArmData>[];
type Compare = (metric: MetricDefinition, strata: Strata, options: CompareOptions) => Comparison | null;

/** More replicates sharpen a bootstrap's tails at a cost that no metric is worth (statistics §2). */
const MAX_REPLICATES = 2_000;

/** Tests one treatment against control with the metric's test; null when the data allow none. */
export const compareArms: Compare = (metric, strata, options) =>
  strata.length === 0 ? null : COMPARE[metric.kind](metric, strata, options);

const COMPARE: Readonly<Record<MetricDefinition["kind"], Compare>> = {
  binary: compareProportions,
  mean: compareMeans,
  ordinal: compareMeans,
  ratio: compareRatios,
  quantile: compareQuantiles,
};

function compareProportions(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const counts = mapStrata(strata, toCounts);
  const situation = { smallestExpectedCell: smallestExpectedCell(counts), strata: strata.length };
  const test = chooseTest(metric, { hasAllValues: true, ...situation });
  const [first] = counts;
  const permuted = test === "permutation" ? permuteProportions(counts, options) : null;
  const exact =
    test === "fisher_exact" && first !== undefined ? fisherExact(first.control, first.treatment) : null;
  return comparison(permuted ?? exact ?? twoProportionZ(counts), strata, ({ users }) => users, {
    proportions: counts,
  });
}

function compareMeans(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const test = testOfValues(metric, strata);
  const values = valuesOf(strata);
  const plain = values && mapStrata(values, ({ y }) => y);
  if (values === null || plain === null || (test === "welch_t" && !hasAllValues(strata)))
    return comparison(welchT(mapStrata(strata, toMeanMoments)), strata, ({ users }) => users, {
      skewness: plain && skewnessOf(groupsOf(plain)),
    });
  const over = (outcome: TestOutcome | null, extras: Extras = {}) =>
    comparison(outcome, plain, ({ length }) => length, extras);
  if (test === "mann_whitney_u") return over(mannWhitneyU(plain), { shift: hodgesLehmannShift(plain) });
  if (test === "cluster_bootstrap")
    return over(bootstrap(plain, bootstrapMean, options), { skewness: skewnessOf(groupsOf(plain)) });
  const cuped =
    metric.kind === "mean" ? cupedMeans(mapStrata(values, ({ y, preY }) => ({ y, x: preY }))) : null;
  const y = cuped?.strata ?? plain;
  // Without any spread there is nothing to permute; the closed form covers that case.
  const permuted = test === "permutation" ? permuteMeans(y, options) : null;
  return over(permuted ?? welchT(mapStrata(y, momentsOf)), { cuped, skewness: skewnessOf(groupsOf(y)) });
}

function compareRatios(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const test = testOfValues(metric, strata);
  const values = valuesOf(strata);
  if (values === null || (test === "ratio_delta" && !hasAllValues(strata)))
    return comparison(ratioDelta(mapStrata(strata, ({ moments }) => moments)), strata, ({ users }) => users, {
      skewness: values && ratioSkewness(values),
    });
  const over = (outcome: TestOutcome | null, extras: Extras = {}) =>
    comparison(outcome, values, ({ y }) => y.length, extras);
  if (test === "cluster_bootstrap")
    return over(bootstrap(values, bootstrapRatio, options), { skewness: ratioSkewness(values) });
  const cuped = cupedRatios(mapStrata(values, ({ y, d, preY, preD }) => ({ y, d, x: preY, xd: preD })));
  const pairs = cuped === null ? values : withAdjusted(values, cuped);
  const permuted = test === "permutation" ? permuteRatios(pairs, options) : null;
  return over(permuted ?? ratioDelta(mapStrata(pairs, ratioMomentsOf)), {
    cuped,
    skewness: ratioSkewness(pairs),
  });
}

/** Moments of y − R d, with the ratio R of each arm of a stratum. */
function ratioSkewness(strata: readonly Stratum<RatioUsers>[]): number {
  const scores = mapStrata(strata, ({ y, d }) => {
    const ratio = sumOf(y) / sumOf(d);
    return y.map((value, user) => value - ratio * d[user]!);
  });
  return skewnessOf(groupsOf(scores));
}

function groupsOf<A>(strata: readonly Stratum<A>[]): readonly A[] {
  return strata.flatMap(({ control, treatment }) => [control, treatment]);
}

function compareQuantiles(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const bins = mapStrata(strata, ({ bins }) => bins);
  if (!areComplete(bins) || isRuledByOneUser(bins)) return null;
  const { quantile } = metric;
  const outcome =
    testOfValues(metric, strata) === "cluster_bootstrap"
      ? bootstrap(bins, bootstrapQuantile(quantile), options)
      : clusterQuantile(bins, { quantile, ...options });
  return comparison(outcome, bins, ({ offsets }) => offsets.length - 1);
}

/**
 * Returns whether one user holds so many of an arm's calls that their quantile says nothing about other users.
 */
export function isOneUsersQuantile({ kind }: Pick<MetricDefinition, "kind">, strata: Strata): boolean {
  const bins = mapStrata(strata, (arm) => arm.bins);
  return kind === "quantile" && areComplete(bins) && isRuledByOneUser(bins);
}

function testOfValues(metric: MetricDefinition, strata: Strata): RunnableTest {
  return chooseTest(metric, {
    hasAllValues: hasAllValues(strata),
    smallestExpectedCell: 0,
    strata: strata.length,
  });
}

function bootstrap<A>(
  strata: readonly Stratum<A>[],
  functional: BootstrapFunctional<A>,
  { permutations, seed }: CompareOptions,
): TestOutcome | null {
  return clusterBootstrap(strata, { functional, replicates: Math.min(MAX_REPLICATES, permutations), seed });
}

interface Extras {
  readonly cuped?: Cuped | null;
  readonly shift?: number | null;
  readonly proportions?: Comparison["proportions"];
  readonly skewness?: number | null;
}

function comparison<A>(
  outcome: TestOutcome | null,
  strata: readonly Stratum<A>[],
  usersOf: (arm: A) => number,
  { cuped = null, shift = null, proportions = null, skewness = null }: Extras = {},
): Comparison | null {
  if (outcome === null) return null;
  const users = (arm: keyof Stratum<A>) => strata.reduce((sum, stratum) => sum + usersOf(stratum[arm]), 0);
  return {
    outcome,
    cuped: cuped === null ? null : toAdjustment(cuped),
    shift,
    users: { control: users("control"), treatment: users("treatment") },
    proportions,
    skewness,
  };
}

function toAdjustment({ theta, coverage, varianceReduction }: Cuped): CovariateAdjustment {
  return { theta, coverage, varianceReduction };
}

function withAdjusted(values: readonly Stratum<UserValues>[], { strata }: Cuped) {
  return values.map(({ control, treatment }, index) => ({
    control: { y: strata[index]!.control, d: control.d },
    treatment: { y: strata[index]!.treatment, d: treatment.d },
  }));
}

function hasAllValues(strata: Strata): boolean {
  return strata.every(({ control, treatment }) => hasAll(control) && hasAll(treatment));
}

function hasAll({ values, users }: ArmData): boolean {
  return values?.y.length === users;
}

function valuesOf(strata: Strata): readonly Stratum<UserValues>[] | null {
  const values = mapStrata(strata, (arm) => arm.values);
  return areComplete(values) ? values : null;
}

function areComplete<A>(strata: readonly Stratum<A | null>[]): strata is readonly Stratum<A>[] {
  return strata.every(({ control, treatment }) => control !== null && treatment !== null);
}

function toMeanMoments({ moments: { n, meanY, m2Y } }: ArmData) {
  return { n, mean: meanY, m2: m2Y };
}

function toCounts({ moments: { n, meanY } }: ArmData): BinaryCounts {
  return { n, successes: Math.round(n * meanY) };
}
