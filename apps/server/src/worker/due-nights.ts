import { addDays, type Day, type Experiment, startOfDay } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { isAnalyzed, runNightly } from "../pipeline/run-nightly.ts";
import type { Settings } from "../settings.ts";
import { dueDays, nightlyTask } from "./nightly-schedule.ts";

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
  const runDue = nightlyTask({ clock, nightlyAtMinutes }, async (day) => {
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
  let isWarned = false;
  return async () => {
    if (!isWarned) await warnOfMissed(dueDays(clock.now(), nightlyAtMinutes)[0]!, takes, deps);
    isWarned = true;
    await runDue();
  };
}

/** After a long outage, only the last days are run. The log names the nights that a person must run. */
async function warnOfMissed(
  firstDue: Day,
  takes: (experiment: Experiment) => boolean,
  { control, log }: Pick<Deps, "control" | "log">,
): Promise<void> {
  const live = (await control.experiments.listForNightly(startOfDay(firstDue))).filter(takes);
  const missed: Day[] = [];
  for (const [orgId, own] of Map.groupBy(live, (experiment) => experiment.orgId)) {
    const ids = new Set(own.map(({ id }) => id));
    const nights = await control.pipelineRuns.listLatest(orgId);
    const next = nights.flatMap(({ experimentId, day }) => (ids.has(experimentId) ? [dayAfter(day)] : []));
    missed.push(...next.filter((day) => day < firstDue));
  }
  const [from] = missed.toSorted();
  if (from === undefined) return;
  const day = addDays(firstDue, -1);
  log.warn(
    { experiments: missed.length, from, day },
    `nights were missed for longer than they are caught up: run them with assay nightly --from ${from} --day ${day}`,
  );
}

const dayAfter = (day: string): Day => addDays(day as Day, 1);
