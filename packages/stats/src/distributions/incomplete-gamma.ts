import { devianceTerm } from "./binomial.ts";
import { stirlingError } from "./log-gamma.ts";

/** A factor of the continued fraction this close to 1 changes no digit. */
const CONVERGED = 3e-16;
/** Keeps a vanishing partial denominator off zero (Lentz's method). */
const TINY = 1e-300;

/**
 * Computes the regularized upper incomplete gamma function Q(a, x) = Γ(a, x) / Γ(a) for a > 0; 1 for x ≤ 0, 0 at ∞.
 * Small tails keep their relative accuracy (series below a + 1, continued fraction above; DLMF 8.7.1, 8.9.2).
 */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  if (x === Number.POSITIVE_INFINITY) return 0;
  const density = Math.exp(-stirlingError(a) - devianceTerm(a, x)) / Math.sqrt(2 * Math.PI * a);
  return x < a + 1 ? 1 - density * lowerSeries(a, x) : density * a * upperFraction(a, x);
}

function lowerSeries(a: number, x: number): number {
  let sum = 1;
  let term = 1;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let n = 1, factor = 0; Math.abs(factor - 1) > CONVERGED; n++) {
    const numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    factor = c * d;
    value *= factor;
  }
  return value;
}
