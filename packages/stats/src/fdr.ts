import { floorPValue } from "./methods/test-outcome.ts";

/**
 * Adjusts p-values for the false discovery rate (Benjamini & Hochberg 1995, step-up), in the order given.
 * Assumes independent or positively dependent tests. Inputs must lie in [0, 1]; so do the results.
 */
export function adjustFdr(pValues: readonly number[]): number[] {
  const m = pValues.length;
  const adjusted = new Array<number>(m);
  const descending = pValues.map((p, i) => ({ p, i })).sort((a, b) => b.p - a.p);
  let ceiling = 1;
  for (const [k, { p, i }] of descending.entries()) {
    ceiling = Math.min(ceiling, p * (m / (m - k)));
    adjusted[i] = ceiling;
  }
  return adjusted;
}

/**
 * Adjusts e-values for the false discovery rate (e-BH, Wang & Ramdas 2022), in the order given: Benjamini–Hochberg on 1 / e.
 * Takes natural logs, which do not overflow. Rejecting below .05 keeps the rate at 5% however the tests depend on each other and
 * whenever you stop. All e-values must come from the same look; do not pass each test's best so far.
 */
export function adjustFdrByEvidence(logEvidence: readonly number[]): number[] {
  return adjustFdr(logEvidence.map((log) => floorPValue(Math.min(1, Math.exp(-log)))));
}
