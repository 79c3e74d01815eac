import { DAY_MS, dayOf, endOfDay, startOfDay } from "../time/day.ts";

/**
 * Returns the instant since which received raw events are still kept at `now`. Retention is counted in whole UTC days after
 * the day of receipt.
 */
export function rawKeptSince(now: number, retentionDays: number): number {
  return startOfDay(dayOf(now)) - retentionDays * DAY_MS;
}

/** Returns the first instant at which a raw event may be removed, because `rawKeptSince` is then past its receipt. */
export function rawExpiresAt(receivedAt: number, retentionDays: number): number {
  return endOfDay(dayOf(receivedAt)) + retentionDays * DAY_MS;
}
