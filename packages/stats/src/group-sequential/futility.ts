import { normalSf } from "../distributions/normal.ts";
import { ALPHA } from "../level.ts";
import { detectableStandardErrors, type PowerTarget } from "../planning/power.ts";
import { efficacyBoundaries, SMALLEST_SPENT, SMALLEST_STEP } from "./efficacy.ts";
import { obrienFlemingSpent } from "./spending.ts";
import { beforeNext, type Look, placeOf } from "./walk.ts";

/**
 * Computes for each look at these information fractions (ascending, to 1) the z in the wanted direction below which the
 * target is unlikely to be reached. With an effect as large as planned (drift z(1 − alpha / 2) + z(power) at t = 1) all looks
 * together say so wrongly with probability 1 − power, spent by `obrienFlemingSpent`. Non-binding: the efficacy boundaries
 * do not count on it. −Infinity where less than 1e-8 may be spent; never above the efficacy boundary, and below it at
 * t = 1 too, since looking costs power.
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
 * Computes the chance that z at the end (t = 1) is at least the final boundary, given z at information fraction t and the
 * drift: the true effect in standard errors at the end. `detectableStandardErrors(target)` is the drift of the planned
 * effect, which is the one to assume for futility; z / √t is that of the effect seen so far. Looks between do not count.
 */
export function conditionalPower(look: { z: number; t: number; boundary: number; drift: number }): number {
  const { z, t, boundary, drift } = look;
  if (t >= 1) return z >= boundary ? 1 : 0;
  return normalSf((boundary - z * Math.sqrt(t) - drift * (1 - t)) / Math.sqrt(1 - t));
}
