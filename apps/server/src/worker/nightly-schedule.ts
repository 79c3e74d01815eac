import { addDays, type Clock, DAY_MS, type Day, dayOf, startOfDay } from "@assay/domain";

/** How many days back a restarted service looks for missed nightly runs. */
export const CATCH_UP_DAYS = 7;

/** Lists the days whose nightly run is due, oldest first: up to yesterday once `nightlyAtMinutes` has passed. */
export function dueDays(now: number, nightlyAtMinutes: number): readonly Day[] {
  const today = dayOf(now);
  const isPast = now >= startOfDay(today) + nightlyAtMinutes * 60_000;
  const last = addDays(today, isPast ? -1 : -2);
  return Array.from({ length: CATCH_UP_DAYS }, (_, index) => addDays(last, index + 1 - CATCH_UP_DAYS));
}

/** Computes the next scheduled run: the first instant after `now` at `nightlyAtMinutes` past midnight UTC. */
export function nextRunAt(now: number, nightlyAtMinutes: number): number {
  const today = startOfDay(dayOf(now)) + nightlyAtMinutes * 60_000;
  return now < today ? today : today + DAY_MS;
}

/** The delay before a day with a failed run is retried. */
export const RETRY_MS = 5 * 60_000;

/** The delay per outcome. What another process holds is checked in the next round: it ends soon, or its lease expires. */
const DELAYS_MS = { done: Number.POSITIVE_INFINITY, "try-again": RETRY_MS, held: 0 };

/**
 * Makes the task that runs each due day until `run` reports it done. That is once per process; the lock on each experiment-day makes it
 * once across all processes.
 */
export function nightlyTask(
  { clock, nightlyAtMinutes }: { readonly clock: Clock; readonly nightlyAtMinutes: number },
  run: (day: Day) => Promise<"done" | "try-again" | "held">,
): () => Promise<void> {
  const dueAt = new Map<Day, number>();
  return async () => {
    for (const day of dueDays(clock.now(), nightlyAtMinutes)) {
      if (clock.now() < (dueAt.get(day) ?? 0)) continue;
      const outcome = await run(day);
      dueAt.set(day, clock.now() + DELAYS_MS[outcome]);
    }
  };
}
