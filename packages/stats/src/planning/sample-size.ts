import { detectableStandardErrors, minimumDetectableEffect, type PowerTarget } from "./power.ts";

/**
 * Variances of one user: n times the variance of the arm's estimate. This is s² for a mean, n × the delta variance for a ratio,
 * n se² for a quantile, and p (1 − p) for a share (for treatment at its own p, with the effect applied).
 */
export interface UserVariances {
  readonly controlVariance: number;
  readonly treatmentVariance: number;
}

export interface UsersPerArm {
  readonly control: number;
  readonly treatment: number;
}

/**
 * Computes the users per arm that a two-sided test needs to find `effect`, with `ratio` treatment users for each control
 * user (> 0): control = (z + z)² (s²C + s²T / ratio) / effect², both rounded up. Null without an effect, or if it is so small that
 * the number of users overflows. Normal approximation.
 */
export function requiredUsers(
  plan: UserVariances & PowerTarget & { effect: number; ratio: number },
): UsersPerArm | null {
  const standardErrors = detectableStandardErrors(plan) / plan.effect;
  const variance = plan.controlVariance + plan.treatmentVariance / plan.ratio;
  const control = standardErrors ** 2 * variance;
  const treatment = control * plan.ratio;
  if (!(control + treatment <= Number.MAX_SAFE_INTEGER)) return null;
  return { control: Math.ceil(control), treatment: Math.ceil(treatment) };
}

/**
 * Computes the users per arm that show "not worse by the margin" (> 0, in the metric's unit): `requiredUsers` for the
 * effect margin + difference. `difference` is the expected true difference, positive if better. The level is two-sided, like the
 * service's intervals, so .05 means one-sided .025. All `guardrails` (≥ 1) must hold, so each gets the power
 * 1 − (1 − power) / guardrails; the level needs no correction (Schultzberg, Ankargren & Frånberg 2024). Null if no number of users
 * suffices, because the expected difference is a loss of at least the margin.
 */
export function nonInferiorityUsers(
  plan: UserVariances &
    PowerTarget & { margin: number; difference: number; ratio: number; guardrails: number },
): UsersPerArm | null {
  const { margin, difference, guardrails, power = 0.8 } = plan;
  const effect = Math.max(0, margin + difference);
  return requiredUsers({ ...plan, effect, power: 1 - (1 - power) / guardrails });
}

/** Computes the smallest effect that the given users per arm (> 0) can find: the inverse of `requiredUsers`. */
export function detectableEffect(plan: UserVariances & PowerTarget & { users: UsersPerArm }): number {
  const { users, controlVariance, treatmentVariance } = plan;
  const variance = controlVariance / users.control + treatmentVariance / users.treatment;
  return minimumDetectableEffect(Math.sqrt(variance), plan);
}
