import type { ReachedLimit } from "../problem.ts";

/** How often something may be done: a sustained rate, and bursts of twice the quota. */
export type RateLimit = ReachedLimit;

/** What remains of a limit. Tokens refill with time, up to the burst. Mutable, because every request updates it. */
export interface TokenBucket {
  tokens: number;
  /** The time for which `tokens` is valid, epoch milliseconds. */
  filledAt: number;
}

/** How many tokens may be used at once after a pause: twice the quota (contract §6). */
export function burstOf({ quota }: Pick<RateLimit, "quota">): number {
  return 2 * quota;
}

/** Creates a full bucket. */
export function fullBucket(limit: RateLimit, now: number): TokenBucket {
  return { tokens: burstOf(limit), filledAt: now };
}

/**
 * Takes `count` tokens if there is at least one. If fewer than `count` are left, the bucket goes into debt, and later tokens pay
 * the debt first. Returns 0 if it took them, otherwise the milliseconds until there is a token; a refusal takes nothing. A clock
 * that jumps back changes nothing.
 */
export function takeToken(bucket: TokenBucket, limit: RateLimit, now: number, count = 1): number {
  const perMs = limit.quota / (limit.windowSeconds * 1000);
  const passedMs = Math.max(0, now - bucket.filledAt);
  bucket.tokens = Math.min(burstOf(limit), bucket.tokens + passedMs * perMs);
  bucket.filledAt = now;
  if (bucket.tokens < 1) return (1 - bucket.tokens) / perMs;
  bucket.tokens -= count;
  return 0;
}

/** Returns tokens that were not used. */
export function returnToken(bucket: TokenBucket, limit: RateLimit, count = 1): void {
  bucket.tokens = Math.min(burstOf(limit), bucket.tokens + count);
}
