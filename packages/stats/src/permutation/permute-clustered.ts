import type { ClusteredScores } from "../clusters/cluster-error.ts";
import { numberClusters } from "../clusters/number-clusters.ts";
import { mapStrata, type Stratum } from "../strata.ts";
import { type ClusteredDeck, clusteredDeck } from "./clustered-deck.ts";
import { judge, thresholdOf } from "./p-value.ts";
import type { PermutationOutcome } from "./permute-strata.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import { type Difference, studentise } from "./pooled-stratum.ts";
import { drawUntilClear, type PermutationOptions } from "./sample-statistics.ts";

/** The maximum number of units times relabelings. */
const MOST_DRAWS = 250_000_000;
/** A spread below this share of the squared scores is a cancellation error. */
const ROUNDING = 1e-12;

/**
 * Tests like `permuteScores` when units were randomized and users have several, in both arms. Relabels units within each stratum, so
 * the test is exact if the variants do not differ, however unequal the users are. The statistic is studentised by the cluster-robust
 * error, in the data and under each relabeling. So it also holds for large samples if only the means are equal, because the effect
 * differs between users. Relabelings are random, never listed. Also null if units times permutations exceed 250 million.
 */
export function permuteClustered(
  strata: readonly Stratum<ClusteredScores>[],
  options: PermutationOptions,
): PermutationOutcome | null {
  const pooled = poolScores(mapStrata(strata, ({ scores }) => scores));
  if (pooled === null) return null;
  const units = pooled.strata.reduce((sum, { scores }) => sum + scores.length, 0);
  if (units * options.permutations > MOST_DRAWS) return null;
  const { groups, count } = numberClusters(
    pooled.strata.map(({ sign }, i) => inPooledOrder(strata[i]!, sign)),
  );
  const decks = pooled.strata.map((stratum, i) => clusteredDeck(stratum, groups[i]!, count));
  const shifts = new Float64Array(count);
  const observed = differenceOf(decks, shifts);
  const statistic = studentise(observed);
  const statistics = drawUntilClear(
    (stream, relabelings) => {
      // Each batch starts from the data, independent of the previous batch.
      for (const deck of decks) deck.reset();
      return new Float64Array(relabelings).map(() => {
        for (const deck of decks) deck.shuffle(stream);
        return Math.abs(studentise(differenceOf(decks, shifts)));
      });
    },
    { threshold: thresholdOf(statistic), users: units },
    options,
  );
  const { exceedances, ...judged } = judge(statistic, statistics);
  return {
    difference: observed.difference * pooled.unit,
    standardError: Math.sqrt(observed.variance) * pooled.unit,
    statistic: Number.isFinite(statistic) ? statistic : null,
    ...judged,
    permutationsUsed: statistics.sizes.length,
    isAtFloor: exceedances === 0,
    engine: "monte-carlo",
  };
}

/** Lists the units' clusters in the order of the pooled scores: those of the first arm first. */
function inPooledOrder(
  { control, treatment }: Stratum<ClusteredScores>,
  sign: PooledScores["sign"],
): Float64Array {
  const [first, second] = sign === -1 ? [control, treatment] : [treatment, control];
  const clusters = new Float64Array(first.clusters.length + second.clusters.length);
  clusters.set(first.clusters);
  clusters.set(second.clusters, first.clusters.length);
  return clusters;
}

/** Computes treatment − control under the decks' labels with its variance. `shifts` has an entry of 0 per user, before and after. */
function differenceOf(decks: readonly ClusteredDeck[], shifts: Float64Array): Difference {
  let [difference, squares, variance] = [0, 0, 0];
  for (const deck of decks) {
    difference += deck.addShifts(shifts);
    squares += deck.squares;
  }
  for (let user = 0; user < shifts.length; user++) {
    variance += shifts[user]! * shifts[user]!;
    shifts[user] = 0;
  }
  return { difference, variance: variance > ROUNDING * squares ? variance : 0 };
}
