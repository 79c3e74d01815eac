import { normalSf } from "../distributions/normal.ts";
import { ALPHA } from "../level.ts";
import { detectableStandardErrors, type PowerTarget } from "../planning/power.ts";
import { efficacyBoundaries, SMALLEST_SPENT, SMALLEST_STEP } from "./efficacy.ts";
import { obrienFlemingSpent } from "./spending.ts";
import { beforeNext, type Look, placeOf } from "./walk.ts";

/**
 * Computes, for each look at these information fractions (ascending, up to 1), the z in the wanted direction below which the
 * target is unlikely to be reached. If the effect is as large as planned (drift z(1 − alpha / 2) + z(power) at t = 1), the
 * probability that any look wrongly says so is 1 − power, spent by `obrienFlemingSpent`. The boundaries are non-binding: the
 * efficacy boundaries do not rely on them. −Infinity if less than 1e-8 may be spent. Never above the efficacy boundary, and
 * below it even at t = 1, because looking costs power.
 */
export function futilityBoundaries(
  fractions: readonly number[],
  target: PowerTarget = {},
): readonly number[] {
  const { alpha = ALPHA, power = 0.8 } = target;
  const drift = detectableStandardErrors(target);
  const efficacy = efficacyBoundaries(fractions, alpha);
  let latest: Look | null = null;
  let boundary = Number.NEGATIVE_INFINITY;
  return fractions.map((t, i) => {
    const latestT: number = latest?.stop.t ?? 0;
    const spent = obrienFlemingSpent(t, 1 - power);
    if (t - latestT < SMALLEST_STEP || spent < SMALLEST_SPENT) return boundary;
    const before = beforeNext(latest, drift, t);
    const probability = spent - obrienFlemingSpent(latestT, 1 - power);
    const upper = efficacy[i]! * Math.sqrt(t);
    const lower = Math.min(upper, placeOf(before, drift, t, -1, probability));
    latest = { before, stop: { t, lower, upper } };
    boundary = lower / Math.sqrt(t);
    return boundary;
  });
}

/**
 * Computes the chance that z at the end (t = 1) reaches the final boundary, given z at information fraction t and the drift (the
 * true effect in standard errors at the end). For futility, pass the drift of the planned effect,
 * `detectableStandardErrors(target)`; z / √t is the drift of the effect seen so far. Looks in between are ignored.
 */
export function conditionalPower(look: { z: number; t: number; boundary: number; drift: number }): number {
  const { z, t, boundary, drift } = look;
  if (t >= 1) return z >= boundary ? 1 : 0;
  return normalSf((boundary - z * Math.sqrt(t) - drift * (1 - t)) / Math.sqrt(1 - t));
}
