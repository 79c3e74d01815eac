import { addDays, type Clock, type Day, dayOf, startOfDay } from "@assay/domain";

/** How far back a service that was down looks for missed days. */
export const CATCH_UP_DAYS = 7;

/** Lists the days whose nightly run is due, oldest first: yesterday once `nightlyAtMinutes` has passed, and the days before it. */
export function dueDays(now: number, nightlyAtMinutes: number): readonly Day[] {
  const today = dayOf(now);
  const isPast = now >= startOfDay(today) + nightlyAtMinutes * 60_000;
  const last = addDays(today, isPast ? -1 : -2);
  return Array.from({ length: CATCH_UP_DAYS }, (_, index) => addDays(last, index + 1 - CATCH_UP_DAYS));
}

/** Makes the task that runs what is due: each day once per process, the experiment-day lock keeps it once over all. */
export function nightlyTask(
  { clock, nightlyAtMinutes }: { readonly clock: Clock; readonly nightlyAtMinutes: number },
  run: (day: Day) => Promise<void>,
): () => Promise<void> {
  const finished = new Set<Day>();
  return async () => {
    for (const day of dueDays(clock.now(), nightlyAtMinutes)) {
      if (finished.has(day)) continue;
      await run(day);
      finished.add(day);
    }
  };
}
