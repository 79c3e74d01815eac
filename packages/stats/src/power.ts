import { normalQuantile } from "./distributions/normal.ts";

const STANDARD_ERRORS = normalQuantile(0.975) + normalQuantile(0.8);

/**
 * Computes the smallest true effect that a two-sided test at 5 % finds with 80 % power, in the unit of the standard error
 * (normal approximation; ≥ 0).
 */
export function minimumDetectableEffect(standardError: number): number {
  return STANDARD_ERRORS * standardError;
}
