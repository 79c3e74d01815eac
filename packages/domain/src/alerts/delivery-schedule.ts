import { readRetryAfter } from "../retry-after.ts";

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

/** Each wait is up to this share shorter or longer, so that messages delayed by an outage are not all sent at once. */
export const RETRY_JITTER = 0.1;

/** The longest wait that a receiver can ask for. */
export const MAX_ASKED_WAIT_MS = HOUR_MS;

/** After this many failed attempts to deliver a message (about eight minutes), its channel counts as failing. */
export const FAILING_AFTER = 5;

/** HTTP 410: the receiver says that the address is gone for good. */
const GONE = 410;

/** A failed attempt: its status and `Retry-After` header decide when to try again. */
export interface FailedAttempt {
  /** Failed attempts so far, including this one. */
  readonly attempts: number;
  readonly code: number | null;
  readonly retryAfter?: string;
}

/**
 * Returns when to try again; null when the delivery has failed. The receiver may ask for a longer wait. `random` is from 0 to 1.
 */
export function nextAttemptAt(
  { attempts, code, retryAfter }: FailedAttempt,
  now: number,
  random: number,
): number | null {
  const wait = RETRY_WAITS_MS[attempts - 1];
  if (wait === undefined || code === GONE) return null;
  const asked = Math.min(readRetryAfter(retryAfter ?? null, now) ?? 0, MAX_ASKED_WAIT_MS);
  return now + Math.max(asked, Math.round(wait * (1 + RETRY_JITTER * (2 * random - 1))));
}
