import { binomialLogPmf } from "./binomial.ts";

/** Counts from `low` to `high`, both included. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

/**
 * Computes the band that contains a binomial count of `n` trials with probability at least `level`. Each exact tail outside it
 * has at most half of 1 − `level`.
 */
export function binomialBand(n: number, probability: number, level: number): Band {
  const tail = (1 - level) / 2;
  const chance = (count: number) => Math.exp(binomialLogPmf(count, n, probability));
  let low = 0;
  for (let below = chance(0); below <= tail && low < n; below += chance(low)) low++;
  let high = n;
  for (let above = chance(n); above <= tail && high > low; above += chance(high)) high--;
  return { low, high };
}
