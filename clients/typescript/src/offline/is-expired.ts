import type { KeptEvent } from "../offline-store.ts";

const MAX_AGE_MS = 86_400_000;

/** Returns whether an event is over 24 h old by its own timestamp, and so too old to replay. */
export function isExpired({ occurredAt }: KeptEvent, now: number): boolean {
  return now - occurredAt > MAX_AGE_MS;
}
