import { withClusters } from "../clusters/cluster-error.ts";
import type { RandomStream } from "../random.ts";
import type { Stratum } from "../strata.ts";
import type { ArmSampler } from "./arm-sums.ts";
import { blockSampler } from "./block-sums.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { drawMarked } from "./hypergeometric.ts";
import { permuteClustered } from "./permute-clustered.ts";
import { permuteCounts, type ValueCounts } from "./permute-counts.ts";
import { type PermutationOutcome, permuteStrata } from "./permute-strata.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import type { PermutationOptions } from "./sample-statistics.ts";

/** If each value has this many users on average, the counts are relabeled instead of the users. */
const USERS_PER_VALUE = 800;
/** A first arm below this share of the users is drawn by shuffling; a larger one is summed in blocks. */
const SMALL_SHARE = 0.12;

/**
 * Tests whether two arms are exchangeable by relabeling their users within each stratum, keeping the size of each arm. The
 * statistic is the studentized difference of (stratified) mean scores. The test is exact if the users are exchangeable, and
 * asymptotically valid for equal means with unequal variances (Janssen 1997; Chung & Romano 2013). Scores must not depend on the
 * arm. All relabelings are computed if there are at most 50,000, otherwise random ones. The outcome depends only on the scores in
 * their order, the number of permutations and the seed; swapping the arms changes only signs. Null without strata, if an arm has
 * fewer than two users, if a number is not finite, or if no stratum has two different scores. With clusters (per stratum, the user
 * of each unit) it relabels units: see `permuteClustered`.
 */
export function permuteScores(
  strata: readonly Stratum<Float64Array>[],
  options: PermutationOptions,
  clusters: readonly Stratum<Float64Array>[] | null = null,
): PermutationOutcome | null {
  if (clusters !== null) return permuteClustered(withClusters(strata, clusters), options);
  const counted = countStrata(strata);
  if (counted !== null) return permuteCounts(counted, options);
  const pooled = poolScores(strata);
  return (
    pooled && permuteStrata(pooled, { toScores: ({ scores }) => scores, toSampler: subsetSampler }, options)
  );
}

/** Chooses how to draw a first arm. Users at the origin add nothing to its sums, so only their number is drawn. */
function subsetSampler({ scores, firstSize }: PooledScores): ArmSampler {
  const moved = scores.filter((score) => score !== 0);
  const urn = { marked: moved.length, others: scores.length - moved.length, drawn: firstSize };
  const drawSize = (stream: RandomStream) => drawMarked(urn, stream);
  const share = firstSize / scores.length;
  return share < SMALL_SHARE ? fisherYatesSampler(moved, drawSize) : blockSampler(moved, { share, drawSize });
}

/** Counts the users of each value; null if a stratum has too many values for this to be worthwhile. */
function countStrata(strata: readonly Stratum<Float64Array>[]): Stratum<ValueCounts>[] | null {
  const counted: Stratum<ValueCounts>[] = [];
  for (const { control, treatment } of strata) {
    const most = (control.length + treatment.length) / USERS_PER_VALUE;
    const arms = { control: countValues(control, most), treatment: countValues(treatment, most) };
    if (arms.control === null || arms.treatment === null) return null;
    counted.push({ control: arms.control, treatment: arms.treatment });
  }
  return counted;
}

function countValues(scores: Float64Array, most: number): Map<number, number> | null {
  const counts = new Map<number, number>();
  for (const score of scores) {
    counts.set(score, (counts.get(score) ?? 0) + 1);
    if (counts.size > most) return null;
  }
  return counts;
}
