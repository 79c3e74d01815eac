import { regularisedBeta } from "./incomplete-beta.ts";
import { normalQuantile, normalSf } from "./normal.ts";

/** From here on, Hill's expansion is both faster and more accurate than the continued fraction. */
const LARGE_DF = 20_000;
/** Keeps t² finite. Tails this far out are below 1e-150 even at one degree of freedom. */
const LARGEST_T = 1e150;

/**
 * Computes the upper tail P(T > t) of Student's t with df ≥ 1 degrees of freedom (∞ is the normal distribution).
 * Relative error below 2e-12 down to 1e-300. Finite |t| above 1e150 counts as 1e150.
 */
export function studentTSf(t: number, df: number): number {
  if (t < 0) return 1 - studentTSf(-t, df);
  if (df === Number.POSITIVE_INFINITY) return normalSf(t);
  if (t === Number.POSITIVE_INFINITY) return 0;
  const squared = Math.min(t, LARGEST_T) ** 2;
  if (df > LARGE_DF) return normalSf(hillNormalDeviate(squared, df));
  const x = df / (df + squared);
  return 0.5 * regularisedBeta({ x, y: squared / (df + squared), a: df / 2, b: 0.5 });
}

/** Turns t² into the normal deviate with the same tail, to O(df⁻³) (Hill 1970, CACM algorithm 395). */
function hillNormalDeviate(squared: number, df: number): number {
  const a = df - 0.5;
  const b = 48 * a * a;
  const y = a * Math.log1p(squared / df);
  const second = (((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b);
  return ((second + y + 3) / b + 1) * Math.sqrt(y);
}

/**
 * Computes t with P(T ≤ t) = p for 0 ≤ p ≤ 1 and df ≥ 1; ∓∞ at the ends. Relative error below 1e-12 for tails above
 * 1e-100, absolute error near p = ½. Solves for w = √(df ln(1 + t²/df)), in which the log of the tail is nearly that of a
 * normal distribution.
 */
export function studentTQuantile(p: number, df: number): number {
  if (p > 0.5) return -studentTQuantile(1 - p, df);
  const z = -normalQuantile(p);
  if (df === Number.POSITIVE_INFINITY || !Number.isFinite(z)) return -z;
  const toT = (w: number) => Math.sqrt(df * Math.expm1((w * w) / df));
  const gap = (w: number) => Math.log(studentTSf(toT(w), df) / p);
  return -toT(secantRoot(gap, z, z * (1 + 1 / (4 * df))));
}

/** Runs the secant method until a step no longer matters. The remaining error is about the product of the last two steps. */
function secantRoot(f: (x: number) => number, first: number, second: number): number {
  let [x0, x1] = [first, second];
  let [f0, f1] = [f(x0), f(x1)];
  while (Math.abs(x1 - x0) > 1e-9 * (1 + Math.abs(x1))) {
    const next = x1 - (f1 * (x1 - x0)) / (f1 - f0);
    [x0, f0] = [x1, f1];
    [x1, f1] = [next, f(next)];
  }
  return x1;
}
