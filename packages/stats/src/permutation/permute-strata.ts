import type { ArmSampler } from "./arm-sums.ts";
import { countRelabelings, enumerateStatistics } from "./enumerate.ts";
import { judge, thresholdOf } from "./p-value.ts";
import {
  addDifferences,
  differenceOf,
  type Pooled,
  type PooledStratum,
  studentise,
} from "./pooled-stratum.ts";
import { type PermutationOptions, sampleStatistics } from "./sample-statistics.ts";

/** If there are at most this many relabelings, all are computed. */
const MAX_ENUMERATED = 50_000;

/** The result of a permutation test. */
export interface PermutationOutcome {
  /** Treatment − control of the (stratified) mean scores, and its standard error, in the scores' unit. */
  readonly difference: number;
  readonly standardError: number;
  /** Difference over standard error; null if it is infinite because the arms have no spread. */
  readonly statistic: number | null;
  /** Two-sided. */
  readonly pValue: number;
  /** The relabelings that define `pValue`: all there are, or the random ones drawn. */
  readonly permutationsUsed: number;
  /**
   * Half the width of the 95% interval in standard errors: at least |statistic| exactly when p > .05. Null if there is no interval,
   * because the data have no spread or there are too few permutations for p ≤ .05.
   */
  readonly criticalValue: number | null;
  /** Whether no random relabeling was as extreme as the data, so that only more relabelings could lower `pValue`. */
  readonly isAtFloor: boolean;
  readonly engine: "enumeration" | "monte-carlo";
}

/** How to relabel a kind of stratum. */
export interface Relabeling<S extends PooledStratum> {
  /** Lists the score of every user. */
  toScores(stratum: S): Float64Array;
  toSampler(stratum: S): ArmSampler;
}

/** Compares pooled strata as observed with their relabelings; null when a number is not finite. */
export function permuteStrata<S extends PooledStratum>(
  { strata, unit }: Pooled<S>,
  { toScores, toSampler }: Relabeling<S>,
  options: PermutationOptions,
): PermutationOutcome | null {
  const observed = strata.map((stratum) => differenceOf(stratum, stratum)).reduce(addDifferences);
  const difference = observed.difference * unit;
  const standardError = Math.sqrt(observed.variance) * unit;
  if (!Number.isFinite(difference + standardError)) return null;
  const statistic = studentise(observed);
  const isEnumerated = countRelabelings(strata) <= MAX_ENUMERATED;
  const statistics = isEnumerated
    ? enumerateStatistics(strata.map((stratum) => ({ stratum, scores: toScores(stratum) })))
    : sampleStatistics(
        strata.map((stratum) => ({ stratum, sampler: toSampler(stratum) })),
        thresholdOf(statistic),
        options,
      );
  const { exceedances, ...judged } = judge(statistic, statistics);
  return {
    difference,
    standardError,
    statistic: Number.isFinite(statistic) ? statistic : null,
    ...judged,
    permutationsUsed: statistics.sizes.length,
    isAtFloor: exceedances === 0,
    engine: isEnumerated ? "enumeration" : "monte-carlo",
  };
}
