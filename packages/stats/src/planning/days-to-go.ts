import { detectableStandardErrors } from "./power.ts";

const RECENT_DAYS = 7;
/** Exponent with which the standard error falls as users grow: ½ for independent users, less if the spread grows over time. */
const [SLOWEST_DECAY, FASTEST_DECAY] = [0.3, 0.5];
/** Beyond ten years there is no forecast. */
const LONGEST_DAYS = 3_650;

/** A night's precision: the users of both arms together, and the standard error of the difference. */
export interface NightlyPrecision {
  readonly users: number;
  readonly standardError: number;
}

export interface DaysToGoInput {
  /** Oldest first. */
  readonly history: readonly NightlyPrecision[];
  readonly usersNow: number;
  readonly standardErrorNow: number;
  /** Users first exposed on each full day, oldest first; the last seven count. */
  readonly newUsersPerDay: readonly number[];
  /** The effect to find with 80% power at 5%, in the metric's unit. */
  readonly targetEffect: number;
}

/** Days until the target can be found, at the median, the upper quartile and the lower quartile of daily new users. */
export interface DaysToGo {
  readonly days: number;
  readonly daysLow: number;
  /** Null: never, or more than ten years, at that pace. */
  readonly daysHigh: number | null;
}

/**
 * Forecasts the days until the standard error is small enough for the target effect, from its decrease over the last seven
 * nights and the new users of recent days. 0 if already reached; null if no users come, or if it takes more than ten years. It
 * never reads the observed effect, so it is not a hidden look at the result.
 */
export function daysToGo(input: DaysToGoInput): DaysToGo | null {
  const required = Math.abs(input.targetEffect) / detectableStandardErrors();
  const excess = input.standardErrorNow / required;
  if (excess <= 1) return { days: 0, daysLow: 0, daysHigh: 0 };
  const missing = input.usersNow * (excess ** (1 / decay(input.history)) - 1);
  const paces = input.newUsersPerDay.slice(-RECENT_DAYS).sort((a, b) => a - b);
  const daysAt = (share: number) => {
    const days = missing / quantile(paces, share);
    return days <= LONGEST_DAYS ? days : null;
  };
  const [days, daysLow] = [daysAt(0.5), daysAt(0.75)];
  return days === null || daysLow === null ? null : { days, daysLow, daysHigh: daysAt(0.25) };
}

/** Computes the least-squares slope of −ln se on ln users over the last seven nights, kept within its plausible range. */
function decay(history: readonly NightlyPrecision[]): number {
  const nights = history
    .filter(({ users, standardError }) => users > 0 && standardError > 0)
    .slice(-RECENT_DAYS);
  if (nights.length < RECENT_DAYS || nights[0]?.users === nights.at(-1)?.users) return FASTEST_DECAY;
  const logUsers = nights.map(({ users }) => Math.log(users));
  const centre = logUsers.reduce((sum, x) => sum + x, 0) / nights.length;
  let [products, squares] = [0, 0];
  for (const [i, { standardError }] of nights.entries()) {
    const x = logUsers[i]! - centre;
    products -= x * Math.log(standardError);
    squares += x * x;
  }
  return Math.min(FASTEST_DECAY, Math.max(SLOWEST_DECAY, products / squares));
}

/** Computes a quantile of sorted values by linear interpolation; NaN without values. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}
