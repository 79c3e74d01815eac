import { normalSf } from "../distributions/normal.ts";
import { type Stratum, userShares } from "../strata.ts";
import { areCounts, type BinaryCounts, compareProportions } from "./proportions.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/**
 * Tests the difference of two proportions: z with the pooled proportion of each stratum, and Newcombe's interval. Needs
 * expected cells of about 10 or more (otherwise use `fisherExact`). If all users succeed, or none does, p = 1 without a
 * statistic. Null without strata, or if an arm has no users.
 */
export function twoProportionZ(strata: readonly Stratum<BinaryCounts>[]): TestOutcome | null {
  if (strata.length === 0 || !strata.every(areCounts)) return null;
  const compared = compareProportions(strata);
  const shares = userShares(strata, ({ n }) => n);
  const variance = strata
    .map((stratum, i) => shares[i]! ** 2 * pooledVariance(stratum))
    .reduce((a, b) => a + b);
  const statistic = variance > 0 ? compared.effect / Math.sqrt(variance) : null;
  const pValue = statistic === null ? 1 : floorPValue(2 * normalSf(Math.abs(statistic)));
  return { test: "two_proportion_z", statistic, pValue, ...CLOSED_FORM, ...compared };
}

function pooledVariance({ control, treatment }: Stratum<BinaryCounts>): number {
  const pooled = (control.successes + treatment.successes) / (control.n + treatment.n);
  return pooled * (1 - pooled) * (1 / control.n + 1 / treatment.n);
}
