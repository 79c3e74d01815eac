import { binomialLogPmf } from "../distributions/binomial.ts";
import { logGamma } from "../distributions/log-gamma.ts";
import { twoSidedExact } from "../distributions/two-sided-exact.ts";

/** Splits whose log probability exceeds the observed one's by at most this count as equally likely (as in R and scipy). */
const TIE_TOLERANCE = 1e-7;

/** Computes the exact two-sided p-value for k of n users in an arm with share 0 < p < 1. */
export function exactBinomial(k: number, n: number, p: number): number {
  const logPmf = (count: number) => binomialLogPmf(count, n, p);
  const mode = Math.min(n, Math.floor((n + 1) * p));
  return twoSidedExact({ logPmf, low: 0, high: n, mode }, k);
}

/** Counts the ways to split n users over the arms; not exact above 2⁵³. */
export function splitCount(n: number, arms: number): number {
  let count = 1;
  for (let k = 1; k < arms; k++) count = (count * (n + k)) / k;
  return count;
}

/**
 * Computes the exact multinomial p-value by enumeration: the probability of all splits no more likely than the observed one.
 * Weights must be > 0 with sum 1. Suitable for a `splitCount` up to about a million.
 */
export function exactMultinomial(observed: readonly number[], weights: readonly number[]): number {
  const n = observed.reduce((sum, count) => sum + count, 0);
  const terms = weights.map((weight) =>
    Float64Array.from({ length: n + 1 }, (_, count) => count * Math.log(weight) - logGamma(count + 1)),
  );
  const limit = observed.reduce((sum, count, arm) => sum + terms[arm]![count]!, 0) + TIE_TOLERANCE;
  const last = weights.length - 1;
  const offset = logGamma(n + 1);
  const probabilityFrom = (arm: number, left: number, log: number): number => {
    if (arm === last) {
      const total = log + terms[arm]![left]!;
      return total <= limit ? Math.exp(total + offset) : 0;
    }
    let sum = 0;
    for (let count = 0; count <= left; count++) {
      sum += probabilityFrom(arm + 1, left - count, log + terms[arm]![count]!);
    }
    return sum;
  };
  return Math.min(1, probabilityFrom(0, n, 0));
}
