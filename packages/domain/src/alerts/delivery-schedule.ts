const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits before the second and each later attempt: 12 attempts in a day. */
export const RETRY_WAITS_MS: readonly number[] = [
  10_000,
  30_000,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** Each wait is up to this share shorter or longer, so that the messages of an outage do not come back all at once. */
export const RETRY_JITTER = 0.1;

/**
 * Returns when to try again after `attempts` failed attempts; null when the delivery has failed. `random` is from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: number, random: number): number | null {
  const wait = RETRY_WAITS_MS[attempts - 1];
  return wait === undefined ? null : now + Math.round(wait * (1 + RETRY_JITTER * (2 * random - 1)));
}
