import { countClusters, type NumberedClusters, numberClusters } from "../clusters/number-clusters.ts";
import { fieller } from "../fieller.ts";
import { type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import type { BootstrapEstimator, BootstrapFunctional } from "./bootstrap-functional.ts";
import { type Multiplicities, onceEach, poissonMultiplicities } from "./multiplicities.ts";
import { CLOSED_FORM, type TestOutcome } from "./test-outcome.ts";

/** With fewer users, a replicate can be empty. */
const MIN_USERS = 20;
/** A spread or difference below this share of the value is a rounding error. */
const ROUNDING = 1e-12;
/** The probability of each tail. */
const TAIL = 0.025;

export interface BootstrapOptions<A> {
  readonly functional: BootstrapFunctional<A>;
  /** At least 39 for an interval. */
  readonly replicates: number;
  readonly seed: number;
  /** Per stratum, the user of each unit, if users have several units in both arms. */
  readonly clusters?: readonly Stratum<Float64Array>[] | null;
}

/**
 * Tests the difference of any functional by a bootstrap of whole users within strata, with Poisson(1) multiplicities. The
 * percentile-t interval and the two-sided p-value 2 min(tail), with tails (b + 1) / (B + 1), are dual to each other (Davison &
 * Hinkley 1997, §5.2). `permutationsUsed` is the number of replicates. There is no statistic and no symmetric critical value, so
 * there is no relative interval. If all values are equal, p = 1. Null without strata, if an arm of a stratum has fewer than 20 users, if
 * the estimates are not finite, or if the spread of the arms is not finite and above 0. With clusters, a user is drawn with all units in
 * both arms. Replicates are then studentized by the spread of independent units, which is wrong only by a factor that all replicates
 * share; the standard error is the spread of the replicates.
 */
export function clusterBootstrap<A>(
  strata: readonly Stratum<A>[],
  { functional, replicates, seed, clusters = null }: BootstrapOptions<A>,
): TestOutcome | null {
  const { usersOf } = functional;
  const smallest =
    clusters === null
      ? Math.min(...strata.flatMap(({ control, treatment }) => [usersOf(control), usersOf(treatment)]))
      : Math.min(...inDrawOrder(clusters).map((group) => countClusters([group])));
  if (strata.length === 0 || smallest < MIN_USERS) return null;
  const numbered = clusters && numberClusters(inDrawOrder(clusters));
  const estimate = prepareDifference(strata, functional);
  const observed = estimate(onceEach);
  if (!Number.isFinite(observed.effect + observed.standardError)) return null;
  if (observed.standardError === 0) return observed.effect === 0 ? toOutcome(observed, EQUAL) : null;
  const moves = new Float64Array(replicates);
  const deviations = Float64Array.from({ length: replicates }, (_, replicate) => {
    const draw = poissonMultiplicities(seed ^ Math.imul(replicate + 1, 0x85ebca6b));
    const { effect, standardError } = estimate(numbered ? byCluster(draw, numbered) : draw);
    moves[replicate] = effect - observed.effect;
    return moves[replicate]! / standardError;
  });
  const outcome = toOutcome(observed, percentileT(observed, deviations));
  return clusters === null ? outcome : { ...outcome, standardError: rootMeanSquare(moves) };
}

function rootMeanSquare(values: Float64Array): number {
  return Math.sqrt(sumOf(values.map((value) => value * value)) / values.length);
}

/** Lists the groups in the order in which an estimate draws their multiplicities. */
function inDrawOrder(strata: readonly Stratum<Float64Array>[]): Float64Array[] {
  return [...strata.map(({ control }) => control), ...strata.map(({ treatment }) => treatment)];
}

/** Draws each user once, for all groups. */
function byCluster(draw: Multiplicities, { groups, count }: NumberedClusters): Multiplicities {
  const times = draw(count);
  let group = 0;
  return () => Uint8Array.from(groups[group++]!, (user) => times[user]!);
}

interface Difference {
  readonly control: number;
  readonly treatment: number;
  readonly effect: number;
  readonly standardError: number;
}

type Inference = Pick<TestOutcome, "pValue" | "permutationsUsed" | "isAtFloor" | "ciLow" | "ciHigh">;

const EQUAL: Inference = { pValue: 1, ...CLOSED_FORM, ciLow: null, ciHigh: null };

/** Prepares the strata for many estimates of the difference. Each estimate draws the multiplicities of every group in turn. */
function prepareDifference<A>(
  strata: readonly Stratum<A>[],
  functional: BootstrapFunctional<A>,
): (draw: Multiplicities) => Difference {
  const shares = userShares(strata, functional.usersOf);
  const prepareArm = (arm: readonly A[]) => {
    const estimator: BootstrapEstimator = functional.prepare(arm, shares);
    return (draw: Multiplicities) => estimator(arm.map((group) => draw(functional.usersOf(group))));
  };
  const estimateControl = prepareArm(strata.map(({ control }) => control));
  const estimateTreatment = prepareArm(strata.map(({ treatment }) => treatment));
  return (draw) => {
    const [control, treatment] = [estimateControl(draw), estimateTreatment(draw)];
    const rounding = ROUNDING * Math.max(Math.abs(control.value), Math.abs(treatment.value));
    const withoutRounding = (x: number) => (Math.abs(x) <= rounding ? 0 : x);
    return {
      control: control.value,
      treatment: treatment.value,
      effect: withoutRounding(treatment.value - control.value),
      standardError: withoutRounding(Math.sqrt(control.variance + treatment.variance)),
    };
  };
}

/**
 * Computes p and the interval from the replicates' deviations, in standard errors. An undefined deviation (NaN) counts as extreme
 * on both sides.
 */
function percentileT({ effect, standardError }: Difference, deviations: Float64Array): Inference {
  const t = effect / standardError;
  const told = deviations.filter((deviation) => !Number.isNaN(deviation)).sort();
  const untold = deviations.length - told.length;
  const above = untold + told.filter((deviation) => deviation >= t).length;
  const below = untold + told.filter((deviation) => deviation <= t).length;
  const draws = deviations.length + 1;
  const extreme = Math.min(above, below);
  // The maximum number of draws in a tail for p ≤ .05. The last of them is a bound.
  const rank = Math.floor(TAIL * draws) - untold;
  const bound = (deviation: number | undefined) =>
    deviation === undefined || !Number.isFinite(deviation) ? null : standardError * (t - deviation);
  return {
    pValue: Math.min(1, (2 * (extreme + 1)) / draws),
    permutationsUsed: deviations.length,
    isAtFloor: extreme === 0,
    ciLow: bound(told[told.length - rank]),
    ciHigh: bound(told[rank - 1]),
  };
}

function toOutcome(observed: Difference, inference: Inference): TestOutcome {
  const { control, treatment, effect, standardError } = observed;
  const estimate = (value: number) => ({ n: 0, value, variance: 0 });
  return {
    test: "cluster_bootstrap",
    statistic: null,
    ...inference,
    controlValue: control,
    treatmentValue: effect === 0 ? control : treatment,
    effect,
    standardError: standardError > 0 ? standardError : null,
    criticalValue: null,
    relative: fieller(estimate(control), estimate(treatment), null),
  };
}
