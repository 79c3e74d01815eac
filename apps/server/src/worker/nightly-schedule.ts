import { addDays, type Clock, DAY_MS, type Day, dayOf, startOfDay } from "@assay/domain";

/** How far back a service that was down looks for missed days. */
export const CATCH_UP_DAYS = 7;

/** Lists the days whose nightly run is due, oldest first: yesterday once `nightlyAtMinutes` has passed, and the days before it. */
export function dueDays(now: number, nightlyAtMinutes: number): readonly Day[] {
  const today = dayOf(now);
  const isPast = now >= startOfDay(today) + nightlyAtMinutes * 60_000;
  const last = addDays(today, isPast ? -1 : -2);
  return Array.from({ length: CATCH_UP_DAYS }, (_, index) => addDays(last, index + 1 - CATCH_UP_DAYS));
}

/** Tells when the schedule strikes next: the first instant after `now` at `nightlyAtMinutes` past midnight UTC. */
export function nextRunAt(now: number, nightlyAtMinutes: number): number {
  const today = startOfDay(dayOf(now)) + nightlyAtMinutes * 60_000;
  return now < today ? today : today + DAY_MS;
}

/** A day of which something failed is tried again after this. */
export const RETRY_MS = 5 * 60_000;

/** What another process holds is looked at with the next round: it is over soon, or free once that process is gone. */
const AGAIN_MS = { done: Number.POSITIVE_INFINITY, "try-again": RETRY_MS, held: 0 };

/**
 * Makes the task that runs what is due: each day until `run` says that all of it is done, which it is once per process; the
 * experiment-day lock keeps it once over all.
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
      dueAt.set(day, clock.now() + AGAIN_MS[outcome]);
    }
  };
}
