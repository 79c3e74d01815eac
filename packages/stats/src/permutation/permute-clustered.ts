import type { ClusteredScores } from "../clusters/cluster-error.ts";
import { numberClusters } from "../clusters/number-clusters.ts";
import { mapStrata, type Stratum } from "../strata.ts";
import { clusteredDecks } from "./clustered-decks.ts";
import { judge, thresholdOf } from "./p-value.ts";
import type { PermutationOutcome } from "./permute-strata.ts";
import { type PooledScores, poolScores } from "./pool-scores.ts";
import { studentise } from "./pooled-stratum.ts";
import { drawUntilClear, type PermutationOptions } from "./sample-statistics.ts";

/** The maximum number of units times relabelings. */
const MOST_DRAWS = 250_000_000;

/**
 * Tests like `permuteScores` if units were randomized and users have several, in both arms. Relabels units within each stratum, so the
 * test is exact if the variants do not differ, however unequal the users are. The statistic is studentized by the cluster-robust error,
 * in the data and under each relabeling. Therefore the test is also valid in large samples if only the means are equal, while the effect
 * differs between users. Relabelings are random, never enumerated. Also null if units times permutations exceed 250 million.
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
  const decks = clusteredDecks(pooled.strata, groups, count);
  const observed = decks.difference();
  const statistic = studentise(observed);
  const statistics = drawUntilClear(
    (stream, relabelings) => {
      // Each batch starts from the data, independent of the previous batch.
      decks.reset(stream);
      return new Float64Array(relabelings).map(() => {
        decks.shuffle();
        return Math.abs(studentise(decks.difference()));
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
