import {
  type Caller,
  type Day,
  DomainError,
  type Experiment,
  endOfDay,
  type StoredRun,
  summarizeRun,
} from "@assay/domain";
import { computeRun, runOf } from "@assay/pipeline";
import { raiseNightAlerts } from "../alerts/raise-night-alerts.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";
import { pipelineDeps, runNightly } from "./run-nightly.ts";

const SETTLE_MS = 5_000;

/**
 * Computes a past night of an experiment again and stores the outcome as the night's next revision, with or without rows, with its
 * audit entry. The cut-off is the end of that day; metrics, code and data are today's. A night without a run gets its first one from
 * the nightly pipeline, with its lock and its judges. Throws `results-not-ready` if that finds too little data, or nothing to run.
 */
export async function runAgain(
  experiment: Experiment,
  day: Day,
  caller: Caller,
  deps: Deps,
): Promise<StoredRun> {
  const { orgId, id } = experiment;
  const until = endOfDay(day);
  const before = await findNight(experiment, day, deps);
  if (before === null) return runFirst(experiment, day, caller, deps);
  await waitForDrainOrWarn(SETTLE_MS, deps);
  const cut = { label: { kind: "nightly", day }, until } as const;
  const { results } = await computeRun(experiment, cut, await pipelineDeps(orgId, deps));
  const run = runOf(experiment, results);
  const revision = await deps.control.transaction(async (stores) => {
    const next = await stores.results.putRevision(run, summarizeRun(results));
    await raiseNightAlerts(run, deps.clock.now(), stores);
    await stores.audit.record(auditEntry(caller, nightAction(id, day, next), deps));
    return next;
  });
  return { ...run, revision, revisions: revision };
}

async function runFirst(experiment: Experiment, day: Day, caller: Caller, deps: Deps): Promise<StoredRun> {
  const [report] = await runNightly(day, deps, { takes: ({ id }) => id === experiment.id });
  const run = await findNight(experiment, day, deps);
  if (run === null) {
    const reason =
      report?.detail ?? "The experiment was not running then, or a run of this night is under way.";
    throw new DomainError("results-not-ready", `The night of ${day} has no results. ${reason}`);
  }
  await deps.control.audit.record(auditEntry(caller, nightAction(experiment.id, day, run.revision), deps));
  return run;
}

/** The run of the whole day. A run made before the day was over is a different one. */
async function findNight(
  { orgId, id }: Experiment,
  day: Day,
  { control }: Pick<Deps, "control">,
): Promise<StoredRun | null> {
  const run = await control.results.find(orgId, id, { label: day });
  return run?.windowTo === endOfDay(day) ? run : null;
}

const nightAction = (targetId: string, day: Day, revision: number) => ({
  action: "experiment.run-night",
  targetType: "experiment",
  targetId,
  summary: `Ran the night of ${day}: revision ${revision}.`,
});
