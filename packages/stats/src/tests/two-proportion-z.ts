import { normalSf } from "../distributions/normal.ts";
import { areCounts, type BinaryCounts, compareProportions } from "./proportions.ts";
import { floorPValue, type TestOutcome } from "./test-outcome.ts";

/**
 * Tests the difference of two proportions: z with the pooled proportion, Newcombe's interval. Needs expected cells of
 * about 10 or more (else `fisherExact`). Arms that agree wholly, all or none, give p = 1 and no statistic; an arm without
 * users gives null.
 */
export function twoProportionZ(control: BinaryCounts, treatment: BinaryCounts): TestOutcome | null {
  if (!areCounts(control, treatment)) return null;
  const compared = compareProportions(control, treatment);
  const pooled = (control.successes + treatment.successes) / (control.n + treatment.n);
  const variance = pooled * (1 - pooled) * (1 / control.n + 1 / treatment.n);
  const statistic = variance > 0 ? compared.effect / Math.sqrt(variance) : null;
  const pValue = statistic === null ? 1 : floorPValue(2 * normalSf(Math.abs(statistic)));
  return { test: "two_proportion_z", statistic, pValue, ...compared };
}
