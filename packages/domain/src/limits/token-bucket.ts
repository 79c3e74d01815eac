import type { ReachedLimit } from "../problem.ts";

/** How often something may be done: a sustained rate, and bursts of twice the quota. */
export type RateLimit = ReachedLimit;

/** The rest of a limit: tokens refill with time, up to the burst. Mutable, because every request updates it. */
export interface TokenBucket {
  tokens: number;
  /** The time for which `tokens` is valid, epoch milliseconds. */
  filledAt: number;
}

/** How many may come at once after a pause: twice the quota (contract §6). */
export function burstOf({ quota }: Pick<RateLimit, "quota">): number {
  return 2 * quota;
}

/** Creates a full bucket. */
export function fullBucket(limit: RateLimit, now: number): TokenBucket {
  return { tokens: burstOf(limit), filledAt: now };
}

/**
 * Takes `count` tokens if there is at least one. If that is more than are left, the bucket goes into debt, which later tokens pay
 * back first. Returns 0, or the milliseconds until there is a token if there is none; a refusal costs nothing. A clock that jumps
 * back refills nothing and takes nothing away.
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
