import type { OrderBias, RehearsalFacts } from "@assay/domain";
import { ALPHA, clusteredMean, studentTQuantile, sumOf } from "@assay/stats";
import type { IndexedFacts } from "./index-facts.ts";

/** Measures how much the judge favors the first answer, over all pairs that were judged in both orders. Null for fewer than two users. */
export function orderBias({ plan, items }: RehearsalFacts, known: IndexedFacts): OrderBias | null {
  let [pairs, inconsistent] = [0, 0];
  const differences = items.flatMap(({ cluster, probability }, item) => {
    const gains: number[] = [];
    for (let arm = 1; arm < plan.arms.length; arm++)
      for (let repeat = 0; repeat < plan.repeats; repeat++) {
        const place = { item, arm, repeat };
        const [controlFirst, treatmentFirst] = [known.controlFirst(place), known.treatmentFirst(place)];
        if (Number.isNaN(controlFirst + treatmentFirst)) continue;
        gains.push((treatmentFirst - controlFirst) / 2);
        inconsistent += Number(controlFirst * treatmentFirst === -1);
      }
    pairs += gains.length;
    return gains.length === 0 ? [] : { cluster, weight: 1 / probability, value: sumOf(gains) / gains.length };
  });
  const mean = clusteredMean(differences, { reach: 1 });
  if (mean === null) return null;
  const half = studentTQuantile(1 - ALPHA / 2, mean.df) * mean.standardError;
  return {
    estimate: mean.mean,
    low: Math.max(-1, mean.mean - half),
    high: Math.min(1, mean.mean + half),
    inconsistentShare: inconsistent / pairs,
  };
}
