import { sumOf } from "./sum-of.ts";

/**
 * Computes the standard deviation of one measurement around its own mean, from the differences between repeated measurements:
 * √(mean d² / 2) (Dahlberg 1940). A shift between first and second counts as noise. Null for fewer than two differences.
 */
export function retestSd(differences: readonly number[]): number | null {
  if (differences.length < 2) return null;
  return Math.sqrt(sumOf(differences.map((d) => d * d)) / differences.length / 2);
}
