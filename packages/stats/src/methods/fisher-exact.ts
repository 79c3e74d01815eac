import { logBinomialTerm } from "../distributions/binomial.ts";
import { twoSidedExact } from "../distributions/two-sided-exact.ts";
import { areCounts, type BinaryCounts, compareProportions } from "./proportions.ts";
import { CLOSED_FORM, floorPValue, type TestOutcome } from "./test-outcome.ts";

/**
 * Tests the difference of two proportions exactly, given the table's margins (Fisher 1935; two-sided as R and scipy do).
 * The statistic is the sample odds ratio, or null if that is undefined or infinite; the interval is Newcombe's. Null if an arm has
 * no users. For a single table only; use a permutation test for several strata.
 */
export function fisherExact(control: BinaryCounts, treatment: BinaryCounts): TestOutcome | null {
  if (!areCounts({ control, treatment })) return null;
  const odds =
    (treatment.successes * (control.n - control.successes)) /
    (control.successes * (treatment.n - treatment.successes));
  return {
    test: "fisher_exact",
    statistic: Number.isFinite(odds) ? odds : null,
    pValue: fisherPValue(control, treatment),
    ...CLOSED_FORM,
    ...compareProportions([{ control, treatment }]),
  };
}

/** Computes Fisher's two-sided p-value; whole counts, users > 0. */
export function fisherPValue(control: BinaryCounts, treatment: BinaryCounts): number {
  const n = control.n + treatment.n;
  const successes = control.successes + treatment.successes;
  const p = treatment.n / n;
  const q = control.n / n;
  // The hypergeometric probability is computed from three binomial ones, which avoid cancellation (Loader 2000).
  const logPmf = (k: number) =>
    logBinomialTerm({ x: k, n: successes, p, q }) +
    logBinomialTerm({ x: treatment.n - k, n: n - successes, p, q }) -
    logBinomialTerm({ x: treatment.n, n, p, q });
  const low = Math.max(0, treatment.n - (n - successes));
  const high = Math.min(treatment.n, successes);
  const mode = Math.min(high, Math.floor(((treatment.n + 1) * (successes + 1)) / (n + 2)));
  return floorPValue(twoSidedExact({ logPmf, low, high, mode }, treatment.successes));
}
