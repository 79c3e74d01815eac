import { addDays, type Day } from "../time/day.ts";

/** A day with more events of the publishable key than `limit`, the largest usual number. */
export interface UnusualDay {
  readonly day: Day;
  readonly events: number;
  readonly limit: number;
}

/** Number of days that a day is compared with: four of each weekday. */
const HISTORY_DAYS = 28;
/** Number of days that are checked, up to today. */
const JUDGED_DAYS = 7;
/** With this factor, chance alone raises an alarm on less than one day in 1,000 (docs/keys.md). */
const FACTOR = 4;
/** A day with fewer events is never reported: too few to use up the allowance. */
const LEAST_EVENTS = 1_000;

/** Returns the first day whose count `unusualDays` reads. */
export function firstDayOfUse(today: Day): Day {
  return addDays(today, 1 - JUDGED_DAYS - HISTORY_DAYS);
}

/**
 * Finds the days of the last week with far more events than the four weeks before, newest first. The limit is 4 times the second
 * busiest of those days, which allows for any weekly rhythm and one earlier outlier. A day without a count has no events. A key
 * that was not in use four weeks before a day has no usual count on that day.
 */
export function unusualDays(counts: ReadonlyMap<Day, number>, today: Day): readonly UnusualDay[] {
  const first = firstDayOfUse(today);
  const days = Array.from({ length: HISTORY_DAYS + JUDGED_DAYS }, (_, i) => {
    const day = addDays(first, i);
    return { day, events: counts.get(day) ?? 0 };
  });
  return days
    .slice(HISTORY_DAYS)
    .flatMap(({ day, events }, i) => {
      const history = days.slice(i, i + HISTORY_DAYS).map((before) => before.events);
      const isKnown = history.slice(0, 7).some((count) => count > 0);
      const [, second] = history.toSorted((a, b) => b - a) as [number, number];
      const limit = Math.max(FACTOR * second, LEAST_EVENTS);
      return isKnown && events > limit ? [{ day, events, limit }] : [];
    })
    .reverse();
}
