import { normalQuantile, normalSf } from "../distributions/normal.ts";
import { ALPHA } from "../level.ts";

/** What a test is asked for: its two-sided level and the share of true effects that it finds. */
export interface PowerTarget {
  /** .05 when not given; 0 to 1. */
  readonly alpha?: number | undefined;
  /** .8 when not given; 0 to 1. */
  readonly power?: number | undefined;
}

/** Computes how many standard errors an effect must have to be found: z(1 − α/2) + z(power). */
export function detectableStandardErrors({ alpha = ALPHA, power = 0.8 }: PowerTarget = {}): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

/**
 * Computes the smallest true effect that a two-sided test at 5 % finds with 80 % power (or as the target says), in the
 * unit of the standard error (normal approximation; ≥ 0). α / F is the conservative choice among F rows.
 */
export function minimumDetectableEffect(standardError: number, target?: PowerTarget): number {
  return detectableStandardErrors(target) * standardError;
}

/**
 * Computes the chance that a two-sided normal test at level α (.05 when not given) rejects, given the true effect and the
 * standard error (> 0). For planning: at the observed effect it only restates the p-value.
 */
export function powerOf(plan: { effect: number; standardError: number; alpha?: number | undefined }): number {
  const { effect, standardError, alpha = ALPHA } = plan;
  const shift = effect / standardError;
  const critical = normalQuantile(1 - alpha / 2);
  return normalSf(critical - shift) + normalSf(critical + shift);
}
