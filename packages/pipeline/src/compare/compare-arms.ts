import type { CovariateAdjustment, MetricDefinition, UserValues } from "@assay/domain";
import {
  type BinaryCounts,
  type BootstrapFunctional,
  bootstrapMean,
  bootstrapQuantile,
  bootstrapRatio,
  type CarryOver,
  type Cuped,
  carryOver,
  clusterBootstrap,
  clusterQuantile,
  clusterRobust,
  countClusters,
  cupedMeans,
  cupedRatios,
  fisherExact,
  haveSharedClusters,
  hodgesLehmannShift,
  isRuledByOneUser,
  largestClusterShare,
  mannWhitneyU,
  mapStrata,
  momentsOf,
  type PermutationOptions,
  permuteMeans,
  permuteProportions,
  permuteRatios,
  permuteShares,
  placements,
  type RatioUsers,
  ratioDelta,
  ratioMomentsOf,
  ratioScores,
  type Stratum,
  skewnessOf,
  smallestExpectedCell,
  sumByCluster,
  sumOf,
  type TestOutcome,
  twoProportionZ,
  welchT,
  withClusters,
} from "@assay/stats";
import { type ArmData, clustersOf } from "./arm-data.ts";
import { chooseTest, type RunnableTest } from "./choose-test.ts";

/** `isComplete`: the interval decides something (a margin), so all permutations are computed. */
export type CompareOptions = PermutationOptions;

export interface Comparison {
  readonly outcome: TestOutcome;
  readonly cuped: CovariateAdjustment | null;
  /** Hodges–Lehmann shift; only of mann_whitney_u. */
  readonly shift: number | null;
  /** Users that the test used. */
  readonly users: { readonly control: number; readonly treatment: number };
  /** Users who own these units, and the largest share of an arm's units that one user has; absent if the unit is the user. */
  readonly clusters?: {
    readonly control: number;
    readonly treatment: number;
    readonly largestShare: number;
  };
  /** How earlier units influence later ones; null if users have one unit each, or too few have two. */
  readonly carryOver?: CarryOver | null;
  /**
   * For a binary metric, the counts from which its always-valid evidence is computed; null for other kinds, and if users have
   * several units.
   */
  readonly proportions: readonly Stratum<BinaryCounts>[] | null;
  /**
   * Skewness of the users' contributions to the effect (for a ratio: y − R d), each with all units, over all users whose values were
   * read. Null for other kinds of effect, or if no values were read.
   */
  readonly skewness: number | null;
}

type Strata = readonly Stratum<ArmData>[];
type Compare = (metric: MetricDefinition, strata: Strata, options: CompareOptions) => Comparison | null;

/** More replicates would make a bootstrap's tails more exact, but cost more than that is worth (statistics §2). */
const MAX_REPLICATES = 2_000;

/** Tests one treatment against control with the metric's test; null when the data allow none. */
export const compareArms: Compare = (metric, strata, options) => {
  const compared = strata.length === 0 ? null : COMPARE[metric.kind](metric, strata, options);
  const clusters = knownClusters(strata);
  if (compared === null || clusters === null) return compared;
  const [control, treatment] = [clusters.map((arms) => arms.control), clusters.map((arms) => arms.treatment)];
  return {
    ...compared,
    clusters: {
      control: countClusters(control),
      treatment: countClusters(treatment),
      largestShare: Math.max(largestClusterShare(control), largestClusterShare(treatment)),
    },
    carryOver: carriedOver(metric, { strata, clusters }, compared.outcome),
  };
};

/** Computed for a difference of means or ratios, if the start of every unit is known. */
function carriedOver(
  { kind }: MetricDefinition,
  { strata, clusters }: { readonly strata: Strata; readonly clusters: NonNullable<Clusters> },
  { test, effect }: TestOutcome,
): CarryOver | null {
  const values = valuesOf(strata);
  const startedAt = mapStrata(strata, startsOf);
  if (values === null || !areComplete(startedAt) || test === "mann_whitney_u") return null;
  const scores = kind === "ratio" ? ratioScores(values) : mapStrata(values, ({ y }) => y);
  const dated = withClusters(scores, clusters).map(({ control, treatment }, i) => ({
    control: { ...control, startedAt: startedAt[i]!.control },
    treatment: { ...treatment, startedAt: startedAt[i]!.treatment },
  }));
  return carryOver(dated, effect);
}

const startsOf = ({ values }: ArmData) => values?.startedAt ?? null;

/** Per stratum, the user of each unit; null if users are the units. */
type Clusters = readonly Stratum<Float64Array>[] | null;

function sharedClusters(strata: Strata): Clusters {
  const clusters = knownClusters(strata);
  return clusters !== null && haveSharedClusters(clusters) ? clusters : null;
}

function knownClusters(strata: Strata): Clusters {
  const clusters = mapStrata(strata, clustersOf);
  return areComplete(clusters) ? clusters : null;
}

/**
 * Corrects any test of independent units for the dependence within users. This is the only place that does so. The scores are the
 * units' contributions to the effect.
 */
function robust(
  outcome: TestOutcome | null,
  scoresOf: () => readonly Stratum<Float64Array>[],
  clusters: Clusters,
): TestOutcome | null {
  if (outcome === null || clusters === null) return outcome;
  return clusterRobust(outcome, withClusters(scoresOf(), clusters));
}

/** Skewness over users: the scores of a user's units are added up. */
function skewOf(scores: readonly Stratum<Float64Array>[], clusters: Clusters): number {
  return skewnessOf(
    groupsOf(clusters === null ? scores : mapStrata(withClusters(scores, clusters), sumByCluster)),
  );
}

const COMPARE: Readonly<Record<MetricDefinition["kind"], Compare>> = {
  binary: compareProportions,
  mean: compareMeans,
  ordinal: compareMeans,
  ratio: compareRatios,
  quantile: compareQuantiles,
};

function compareProportions(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const values = valuesOf(strata);
  const clusters = sharedClusters(strata);
  if (values !== null && clusters !== null) return compareShares(metric, { values, clusters }, options);
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

/** Compares the shares of units of a binary metric. Cases are counted by user: ten units of one user are one case. */
function compareShares(
  metric: MetricDefinition,
  {
    values,
    clusters,
  }: { readonly values: readonly Stratum<UserValues>[]; readonly clusters: readonly Stratum<Float64Array>[] },
  options: CompareOptions,
) {
  const y = mapStrata(values, (arm) => arm.y);
  const test = chooseTest(metric, {
    hasAllValues: true,
    smallestExpectedCell: fewestCases(y, clusters),
    strata: values.length,
    isClustered: true,
  });
  const permuted = test === "permutation" ? permuteShares(y, options, clusters) : null;
  const outcome = permuted ?? twoProportionZ(mapStrata(y, countsOf));
  return comparison(
    robust(outcome, () => y, clusters),
    y,
    ({ length }) => length,
    {
      skewness: skewOf(y, clusters),
    },
  );
}

function countsOf(y: Float64Array): BinaryCounts {
  return { n: y.length, successes: sumOf(y) };
}

/** Returns the smallest number of users with a success, or with a failure, that the smaller arm of a stratum can expect. */
function fewestCases(
  y: readonly Stratum<Float64Array>[],
  clusters: readonly Stratum<Float64Array>[],
): number {
  const cases = withClusters(y, clusters).map(({ control, treatment }) => {
    const usersWith = (value: number) =>
      countClusters(
        [control, treatment].map((arm) => arm.clusters.filter((_, unit) => arm.scores[unit] === value)),
      );
    const [c, t] = [control.scores.length, treatment.scores.length];
    return (Math.min(c, t) / (c + t)) * Math.min(usersWith(0), usersWith(1));
  });
  return Math.min(...cases);
}

function compareMeans(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const clusters = sharedClusters(strata);
  const test = testOfValues(metric, strata);
  const values = valuesOf(strata);
  const plain = values && mapStrata(values, ({ y }) => y);
  // The sums over all users do not show which units belong to one user.
  const takesSums = clusters === null && test === "welch_t" && !hasAllValues(strata);
  if (values === null || plain === null || takesSums)
    return comparison(welchT(mapStrata(strata, toMeanMoments)), strata, ({ users }) => users, {
      skewness: plain && skewnessOf(groupsOf(plain)),
    });
  const over = (outcome: TestOutcome | null, extras: Extras) =>
    comparison(outcome, plain, ({ length }) => length, extras);
  if (test === "mann_whitney_u") {
    const ranked = robust(mannWhitneyU(plain), () => plain.map(placements), clusters);
    return over(ranked, { shift: hodgesLehmannShift(plain) });
  }
  if (test === "cluster_bootstrap")
    return over(bootstrap(plain, bootstrapMean, { ...options, clusters }), {
      skewness: skewOf(plain, clusters),
    });
  const cuped =
    metric.kind === "mean" ? cupedMeans(mapStrata(values, ({ y, preY }) => ({ y, x: preY }))) : null;
  const y = cuped?.strata ?? plain;
  // Without any spread there is nothing to permute; the closed form covers that case.
  const permuted = test === "permutation" ? permuteMeans(y, options, clusters) : null;
  const outcome = permuted ?? welchT(mapStrata(y, momentsOf));
  return over(
    robust(outcome, () => y, clusters),
    { cuped, skewness: skewOf(y, clusters) },
  );
}

function compareRatios(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const clusters = sharedClusters(strata);
  const test = testOfValues(metric, strata);
  const values = valuesOf(strata);
  const takesSums = clusters === null && test === "ratio_delta" && !hasAllValues(strata);
  if (values === null || takesSums)
    return comparison(ratioDelta(mapStrata(strata, ({ moments }) => moments)), strata, ({ users }) => users, {
      skewness: values && ratioSkewness(values, clusters),
    });
  const over = (outcome: TestOutcome | null, extras: Extras) =>
    comparison(outcome, values, ({ y }) => y.length, extras);
  if (test === "cluster_bootstrap")
    return over(bootstrap(values, bootstrapRatio, { ...options, clusters }), {
      skewness: ratioSkewness(values, clusters),
    });
  const cuped = cupedRatios(mapStrata(values, ({ y, d, preY, preD }) => ({ y, d, x: preY, xd: preD })));
  const pairs = cuped === null ? values : withAdjusted(values, cuped);
  const permuted = test === "permutation" ? permuteRatios(pairs, options, clusters) : null;
  const outcome = permuted ?? ratioDelta(mapStrata(pairs, ratioMomentsOf));
  return over(
    robust(outcome, () => ratioScores(pairs), clusters),
    {
      cuped,
      skewness: ratioSkewness(pairs, clusters),
    },
  );
}

/** Moments of y − R d, with the ratio R of each arm of a stratum. */
function ratioSkewness(strata: readonly Stratum<RatioUsers>[], clusters: Clusters): number {
  const scores = mapStrata(strata, ({ y, d }) => {
    const ratio = sumOf(y) / sumOf(d);
    return y.map((value, user) => value - ratio * d[user]!);
  });
  return skewOf(scores, clusters);
}

function groupsOf<A>(strata: readonly Stratum<A>[]): readonly A[] {
  return strata.flatMap(({ control, treatment }) => [control, treatment]);
}

function compareQuantiles(metric: MetricDefinition, strata: Strata, options: CompareOptions) {
  const bins = mapStrata(strata, ({ bins }) => bins);
  const clusters = sharedClusters(strata);
  if (!areComplete(bins) || isRuledByOneUser(bins, clusters)) return null;
  const { quantile } = metric;
  const outcome =
    testOfValues(metric, strata) === "cluster_bootstrap"
      ? bootstrap(bins, bootstrapQuantile(quantile), { ...options, clusters })
      : clusterQuantile(bins, { quantile, ...options }, clusters);
  return comparison(outcome, bins, ({ offsets }) => offsets.length - 1);
}

/**
 * Returns whether one user has so many of an arm's calls that their quantile says nothing about other users.
 */
export function isOneUsersQuantile({ kind }: Pick<MetricDefinition, "kind">, strata: Strata): boolean {
  const bins = mapStrata(strata, (arm) => arm.bins);
  return kind === "quantile" && areComplete(bins) && isRuledByOneUser(bins, sharedClusters(strata));
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
  { permutations, seed, clusters }: CompareOptions & { readonly clusters: Clusters },
): TestOutcome | null {
  const replicates = Math.min(MAX_REPLICATES, permutations);
  return clusterBootstrap(strata, { functional, replicates, seed, clusters });
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
