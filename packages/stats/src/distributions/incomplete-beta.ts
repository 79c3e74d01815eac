import { logBinomialTerm } from "./binomial.ts";

const CONVERGED = 3e-16;

/** Parameters of I_x(a, b). y = 1 − x is passed separately, so that neither loses digits near 0. */
export interface BetaArguments {
  readonly x: number;
  readonly y: number;
  readonly a: number;
  readonly b: number;
}

/**
 * Computes the regularized incomplete beta function I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1. Small values keep their
 * relative accuracy. The work grows with √max(a, b) (continued fraction DLMF 8.17.22).
 */
export function regularisedBeta({ x, y, a, b }: BetaArguments): number {
  return x > (a + 1) / (a + b + 2) ? 1 - lowerPart({ x: y, y: x, a: b, b: a }) : lowerPart({ x, y, a, b });
}

/** Computes I_x(a, b) for an x that is not far above the switch point, (a + 1) / (a + b + 2). */
function lowerPart({ x, y, a, b }: BetaArguments): number {
  if (x <= 0) return 0;
  const density = Math.exp(logBinomialTerm({ x: a, n: a + b, p: x, q: y }));
  return density * (b / (a + b)) * betaFraction(x, a, b);
}

/** Evaluates the continued fraction by Lentz's method; up to the switch point its denominators stay positive. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1, factor = 0; Math.abs(factor - 1) > CONVERGED; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    factor = d * c;
    value *= factor;
  }
  return value;
}
