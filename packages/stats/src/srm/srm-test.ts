import { chiSquareSf } from "../distributions/chi-square.ts";
import { floorPValue } from "../methods/test-outcome.ts";
import { sumOf } from "../sum-of.ts";
import { exactBinomial, exactMultinomial, splitCount } from "./exact-split.ts";
import { monteCarloSplit } from "./monte-carlo-split.ts";
import { quadraticForm } from "./quadratic-form.ts";
import { type AllocationShare, splitModel, toWeights } from "./split-model.ts";

/** Below this many expected users in an arm, chi-square is too coarse. */
const MIN_EXPECTED_USERS = 5;
const LISTABLE_SPLITS = 1e6;

/** Users per arm by first exposure, and the allocation in force when they entered, period by period. */
export interface SrmInput {
  readonly periods: readonly AllocationShare[];
  /** One count per arm, in the order of the shares. */
  readonly observed: readonly number[];
  /** Seed of the Monte Carlo draws that small counts over several periods need. */
  readonly seed: number;
}

export interface SrmOutcome {
  /** 1e-300 to 1. */
  readonly pValue: number;
  /** Quadratic form of the deviations, chi-square for large counts; null if the allocation cannot produce the counts. */
  readonly statistic: number | null;
  readonly df: number;
  /** Users that the allocation expects in each arm. */
  readonly expected: readonly number[];
}

/**
 * Tests whether the traffic split fits the allocation (sample ratio mismatch) by (O − E)ᵀ V⁻ (O − E) over the allocation
 * periods; with one period this is Pearson's test. An arm without a share in any period is left out. If it has users, or a period
 * without any shares has users, the counts are impossible and p = 1e-300. Expected counts below 5 get an exact p-value (one
 * period) or a seeded Monte Carlo one (never below 1e-5). Throws RangeError if the shares do not match the arms or the periods'
 * users do not add up to the observed ones.
 */
export function srmTest({ periods, observed, seed }: SrmInput): SrmOutcome {
  checkCounts(periods, observed);
  const open = periods.filter(({ shares }) => shares.some((share) => share > 0));
  const arms = observed.flatMap((_, arm) => (open.some(({ shares }) => shares[arm]! > 0) ? [arm] : []));
  const occupied = open
    .filter(({ users }) => users > 0)
    .map(({ shares, users }) => ({ users, shares: arms.map((arm) => shares[arm]!) }));
  const counts = arms.map((arm) => observed[arm]!);
  const isExplained =
    sumOf(counts) === sumOf(observed) && sumOf(occupied.map(({ users }) => users)) === sumOf(counts);
  const model = splitModel(occupied, arms.length);
  const form = quadraticForm(model);
  const statistic = isExplained ? form.distance(counts) : null;
  const expected = observed.map((_, arm) => model.expected[arms.indexOf(arm)] ?? 0);
  if (statistic === null) return { pValue: floorPValue(0), statistic, df: form.df, expected };
  const isLarge =
    form.df === 0 || model.expected.every((users) => users === 0 || users >= MIN_EXPECTED_USERS);
  const pValue = isLarge
    ? chiSquareSf(statistic, form.df)
    : smallPValue(occupied, counts, (p) => monteCarloSplit(p, { form, distance: statistic }, seed));
  return { pValue: floorPValue(pValue), statistic, df: form.df, expected };
}

/** Uses the cheapest exact method. Several periods have none, so they are simulated. */
function smallPValue(
  periods: readonly AllocationShare[],
  counts: readonly number[],
  simulate: (periods: readonly AllocationShare[]) => number,
): number {
  const [only, ...others] = periods;
  const positive = counts.flatMap((_, arm) => (only!.shares[arm]! > 0 ? [arm] : []));
  if (others.length > 0) return simulate(periods);
  const weights = toWeights(positive.map((arm) => only!.shares[arm]!));
  const own = positive.map((arm) => counts[arm]!);
  if (own.length === 2) return exactBinomial(own[0]!, only!.users, weights[0]!);
  return splitCount(only!.users, own.length) <= LISTABLE_SPLITS
    ? exactMultinomial(own, weights)
    : simulate(periods);
}

function checkCounts(periods: readonly AllocationShare[], observed: readonly number[]): void {
  if (periods.some(({ shares }) => shares.length !== observed.length)) {
    throw new RangeError("Every period needs one share per arm.");
  }
  if (sumOf(periods.map(({ users }) => users)) !== sumOf(observed)) {
    throw new RangeError("The users of the periods do not add up to those of the arms.");
  }
}
