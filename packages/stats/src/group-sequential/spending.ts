import { normalQuantile, normalSf } from "../distributions/normal.ts";

/**
 * Computes the share of an error probability (0 < alpha < 1) that may be spent by information fraction t: the
 * O'Brien-Fleming type function of Lan & DeMets 1983, 2 − 2 Φ(z(1 − alpha / 2) / √t). 0 up to t = 0, alpha from t = 1 on;
 * small values keep their relative accuracy.
 */
export function obrienFlemingSpent(t: number, alpha: number): number {
  if (t <= 0) return 0;
  return 2 * normalSf(-normalQuantile(alpha / 2) / Math.sqrt(Math.min(1, t)));
}
