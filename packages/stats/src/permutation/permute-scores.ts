import type { RandomStream } from "../random.ts";
import type { Stratum } from "../strata.ts";
import type { ArmSampler } from "./arm-sums.ts";
import { blockSampler } from "./block-sums.ts";
import { fisherYatesSampler } from "./fisher-yates.ts";
import { drawMarked } from "./hypergeometric.ts";
import { permuteCounts, type ValueCounts } from "./permute-counts.ts";
import { type PermutationOutcome, permuteStrata } from "./permute-strata.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import type { PermutationOptions } from "./sample-statistics.ts";

/** Values are counted, and the counts relabeled, when each has this many users on average. */
const USERS_PER_VALUE = 800;
/** Below this share of the users a first arm is shuffled out of them rather than added up in blocks. */
const SMALL_SHARE = 0.12;

/**
 * Tests whether two arms are exchangeable by relabeling their users within each stratum, the size of each arm kept, with
 * the studentised difference of (stratified) mean scores: exact when the users are exchangeable, asymptotically valid for
 * equal means with unequal variances (Janssen 1997; Chung & Romano 2013). Scores must not depend on the arm. Relabelings:
 * all when there are 50,000 at most, else random ones. The outcome depends on the scores in their order, the number of
 * permutations and the seed only; swapping the arms changes signs and nothing else. Null without strata, when an arm has
 * fewer than two users, a number is not finite, or no stratum has two different scores.
 */
export function permuteScores(
  strata: readonly Stratum<Float64Array>[],
  options: PermutationOptions,
): PermutationOutcome | null {
  const counted = countStrata(strata);
  if (counted !== null) return permuteCounts(counted, options);
  const pooled = poolScores(strata);
  return (
    pooled && permuteStrata(pooled, { toScores: ({ scores }) => scores, toSampler: subsetSampler }, options)
  );
}

/** Chooses how to draw a first arm. Users at the origin add nothing to it: of them only the number is drawn. */
function subsetSampler({ scores, firstSize }: PooledScores): ArmSampler {
  const moved = scores.filter((score) => score !== 0);
  const urn = { marked: moved.length, others: scores.length - moved.length, drawn: firstSize };
  const drawSize = (stream: RandomStream) => drawMarked(urn, stream);
  const share = firstSize / scores.length;
  return share < SMALL_SHARE ? fisherYatesSampler(moved, drawSize) : blockSampler(moved, { share, drawSize });
}

/** Counts the users of each value; null when a stratum has too many values for that to pay. */
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
