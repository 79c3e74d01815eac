import { normalQuantile, normalSf } from "../distributions/normal.ts";
import { ALPHA } from "../level.ts";

/** A test's requirements: its two-sided level, and the probability of finding a true effect. */
export interface PowerTarget {
  /** 0 to 1; default .05. */
  readonly alpha?: number | undefined;
  /** 0 to 1; default .8. */
  readonly power?: number | undefined;
}

/** Computes how many standard errors an effect must have to be found: z(1 − α/2) + z(power). */
export function detectableStandardErrors({ alpha = ALPHA, power = 0.8 }: PowerTarget = {}): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

/**
 * Computes the smallest true effect (≥ 0) that a two-sided test finds, at 5% with 80% power unless the target says otherwise, in
 * the unit of the standard error. Normal approximation. For F rows, α / F is the conservative choice.
 */
export function minimumDetectableEffect(standardError: number, target?: PowerTarget): number {
  return detectableStandardErrors(target) * standardError;
}

/**
 * Computes the chance that a two-sided normal test at level α (default .05) rejects, given the true effect and the standard error
 * (> 0). For planning only: at the observed effect it merely restates the p-value.
 */
export function powerOf(plan: { effect: number; standardError: number; alpha?: number | undefined }): number {
  const { effect, standardError, alpha = ALPHA } = plan;
  const shift = effect / standardError;
  const critical = normalQuantile(1 - alpha / 2);
  return normalSf(critical - shift) + normalSf(critical + shift);
}
