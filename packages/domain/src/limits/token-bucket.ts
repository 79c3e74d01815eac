import type { ReachedLimit } from "../problem.ts";

/** How often something may be done: a rate, kept up for as long as one likes, and bursts of twice that. */
export type RateLimit = ReachedLimit;

/** What is left of a limit: tokens refill with time, up to the burst. Changed in place, since it is touched per request. */
export interface TokenBucket {
  tokens: number;
  /** When `tokens` was right, epoch milliseconds. */
  filledAt: number;
}

/** How many may come at once after a quiet while: twice the quota (contract §6). */
export function burstOf({ quota }: Pick<RateLimit, "quota">): number {
  return 2 * quota;
}

/** Makes a bucket that nothing was taken from. */
export function fullBucket(limit: RateLimit, now: number): TokenBucket {
  return { tokens: burstOf(limit), filledAt: now };
}

/**
 * Takes `count` tokens if there is one: what they are more than is left is a debt, which the rate pays back first. Returns 0, or,
 * when there is none, after how many milliseconds there will be one; a refusal costs nothing. A clock that jumps back refills
 * nothing and takes nothing away.
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

/** Gives back a token that was taken in vain. */
export function returnToken(bucket: TokenBucket, limit: RateLimit): void {
  bucket.tokens = Math.min(burstOf(limit), bucket.tokens + 1);
}
