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
