import { detectableStandardErrors } from "./power.ts";

const RECENT_DAYS = 7;
/** The standard error's decay in users: ½ for independent users, slower when users' spread grows with their tenure. */
const [SLOWEST_DECAY, FASTEST_DECAY] = [0.3, 0.5];
/** Beyond ten years there is no forecast. */
const LONGEST_DAYS = 3_650;

/** What a night knew: the users of the two arms together and the standard error of their difference. */
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
  /** The effect to be found with 80 % power at 5 %, in the metric's unit. */
  readonly targetEffect: number;
}

/** Days until the target can be found: at the median pace, at the upper and at the lower quartile of the paces. */
export interface DaysToGo {
  readonly days: number;
  readonly daysLow: number;
  /** Null: never, or more than ten years, at that pace. */
  readonly daysHigh: number | null;
}

/**
 * Forecasts the days until the standard error is small enough for the target effect, from how it shrank over the last
 * seven nights and how many new users recent days brought. 0 when reached; null when no users come, or more than ten
 * years away. It never reads the observed effect, so it is no hidden look at the result.
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

/** Computes a quantile of sorted values by linear interpolation; NaN of none. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}
