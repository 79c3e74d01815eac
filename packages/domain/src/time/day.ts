declare const dayBrand: unique symbol;

/** A UTC calendar day as `YYYY-MM-DD`. */
export type Day = string & { readonly [dayBrand]: true };

export const DAY_MS = 86_400_000;

/** Returns the UTC day that contains the instant (epoch milliseconds). */
export function dayOf(instantMs: number): Day {
  return new Date(instantMs).toISOString().slice(0, 10) as Day;
}

/** Returns the first instant of the day, in epoch milliseconds. */
export function startOfDay(day: Day): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** Returns the first instant after the day, in epoch milliseconds. */
export function endOfDay(day: Day): number {
  return startOfDay(day) + DAY_MS;
}

/** Returns the day `count` days later (earlier when negative). */
export function addDays(day: Day, count: number): Day {
  return dayOf(startOfDay(day) + count * DAY_MS);
}

/** Parses `YYYY-MM-DD`; null if it is not a real calendar day. */
export function parseDay(text: string): Day | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00.000Z`);
  return Number.isNaN(at) || dayOf(at) !== text ? null : (text as Day);
}

/** Formats an instant as RFC 3339 in UTC with milliseconds. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}
