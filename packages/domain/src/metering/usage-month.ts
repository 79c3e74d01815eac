import { DAY_MS } from "../time/day.ts";

declare const monthBrand: unique symbol;

/** A UTC calendar month as `YYYY-MM`, by which usage is counted (spec §8). */
export type UsageMonth = string & { readonly [monthBrand]: true };

/** Returns the month that contains the instant (epoch milliseconds). */
export function monthOf(instantMs: number): UsageMonth {
  return new Date(instantMs).toISOString().slice(0, 7) as UsageMonth;
}

/** Returns the first instant of the month, in epoch milliseconds. */
export function startOfMonth(month: UsageMonth): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

/** Returns the first instant after the month, in epoch milliseconds: when counters reset. */
export function endOfMonth(month: UsageMonth): number {
  const start = new Date(startOfMonth(month));
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}

/** How long after a month its events may still arrive: a service that was down stores the events that it had accepted when it restarts. */
const LATE_DAYS = 7;

/** Returns the months whose counts may still change, oldest first: the current one and, in its first seven days, the previous one. */
export function openMonths(instantMs: number): readonly UsageMonth[] {
  return [...new Set([monthOf(instantMs - LATE_DAYS * DAY_MS), monthOf(instantMs)])];
}
