import type { Experiment } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { isAnalyzed, runNightly } from "../pipeline/run-nightly.ts";
import type { Settings } from "../settings.ts";
import { nightlyTask } from "./nightly-schedule.ts";

/** Also how soon another process retries what a crashed process left unfinished. */
export const NIGHT_INTERVAL_MS = 5_000;

/** Makes the task that runs the due nights of some experiments. Several processes with the same task share the experiments. */
export function dueNights(
  takes: (experiment: Experiment) => boolean,
  { nightlyAtMinutes }: Pick<Settings, "nightlyAtMinutes">,
  deps: Deps,
): () => Promise<void> {
  const { clock, log } = deps;
  const share = { takes, standsSince: clock.now() };
  return nightlyTask({ clock, nightlyAtMinutes }, async (day) => {
    const runs = await runNightly(day, deps, share);
    const own = runs.filter(isAnalyzed);
    if (own.length > 0)
      log.info(
        { day, runs: own.map(({ name, outcome }) => ({ name, outcome })) },
        "the nightly pipeline ran",
      );
    if (runs.some(({ outcome }) => outcome === "running-elsewhere")) return "held";
    return runs.some(({ outcome }) => outcome === "failed") ? "try-again" : "done";
  });
}
