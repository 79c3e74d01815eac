import { detectableStandardErrors, minimumDetectableEffect, type PowerTarget } from "./power.ts";

/**
 * Variances of one user, n times that of the arm's estimate: s² of a mean, n × the delta variance of a ratio, n se² of a
 * quantile, p (1 − p) of a share (the treatment's at its own p, with the effect applied).
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
 * user (> 0): control = (z + z)² (s²C + s²T / ratio) / effect², both rounded up. Null when there is no such number: no
 * effect, or one too small to count the users. Normal approximation.
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
 * effect margin + difference. `difference` is the true difference to expect, better being positive. The level is two-sided
 * as that of the service's intervals, so .05 is the one-sided .025. `guardrails` (≥ 1) must all hold, so each gets the power
 * 1 − (1 − power) / guardrails, while the level needs no correction (Schultzberg, Ankargren & Frånberg 2024). Null when no
 * number of users suffices: the difference to expect is a loss as large as the margin.
 */
export function nonInferiorityUsers(
  plan: UserVariances &
    PowerTarget & { margin: number; difference: number; ratio: number; guardrails: number },
): UsersPerArm | null {
  const { margin, difference, guardrails, power = 0.8 } = plan;
  const effect = Math.max(0, margin + difference);
  return requiredUsers({ ...plan, effect, power: 1 - (1 - power) / guardrails });
}

/** Computes the smallest effect that so many users per arm (> 0) find: the inverse of `requiredUsers`. */
export function detectableEffect(plan: UserVariances & PowerTarget & { users: UsersPerArm }): number {
  const { users, controlVariance, treatmentVariance } = plan;
  const variance = controlVariance / users.control + treatmentVariance / users.treatment;
  return minimumDetectableEffect(Math.sqrt(variance), plan);
}
