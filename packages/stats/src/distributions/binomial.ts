import { stirlingError } from "./log-gamma.ts";

const LOG_TWO_PI = 1.8378770664093453;

/**
 * Computes x ln(x / mean) + mean − x for x > 0 without cancellation when the two are close
 * (Loader 2000, "Fast and accurate computation of binomial probabilities", bd0).
 */
export function devianceTerm(x: number, mean: number): number {
  const distance = x - mean;
  if (Math.abs(distance) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
  const v = distance / (x + mean);
  let sum = distance * v;
  let power = 2 * x * v;
  let previous: number;
  let j = 1;
  do {
    previous = sum;
    power *= v * v;
    j += 2;
    sum += power / j;
  } while (Math.abs(sum - previous) > 0);
  return sum;
}

/**
 * Computes ln[Γ(n+1) / (Γ(x+1) Γ(n−x+1)) pˣ qⁿ⁻ˣ] for real 0 ≤ x ≤ n: the log of the binomial probability when x and n are
 * whole (Loader 2000). q = 1 − p is passed separately, so that neither loses digits to cancellation.
 */
export function logBinomialTerm({ x, n, p, q }: { x: number; n: number; p: number; q: number }): number {
  if (n === 0) return 0;
  if (x === 0) return n * logOf(q, p);
  if (x === n) return n * logOf(p, q);
  const correction = stirlingError(n) - stirlingError(x) - stirlingError(n - x);
  const deviance = devianceTerm(x, n * p) + devianceTerm(n - x, n * q);
  return correction - deviance - 0.5 * (LOG_TWO_PI + Math.log(x) + Math.log1p(-x / n));
}

/** Computes ln(value), from the exact complement if the complement is small. */
function logOf(value: number, complement: number): number {
  return complement < 0.1 ? Math.log1p(-complement) : Math.log(value);
}

/** Computes the log of the probability of k successes in n trials (whole 0 ≤ k ≤ n, 0 ≤ p ≤ 1); −∞ when impossible. */
export function binomialLogPmf(k: number, n: number, p: number): number {
  return logBinomialTerm({ x: k, n, p, q: 1 - p });
}
