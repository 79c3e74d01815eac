import { DAY_MS, type Day, type Experiment, endOfDay, PLAN_LIMITS, type RunOutcome } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import type { Deps } from "../deps.ts";
import { VERSION } from "../version.ts";
import { settleQueue } from "./settle-queue.ts";

/** Stopped experiments are analysed for as long as outcomes may still arrive. */
const STOPPED_GRACE_MS = 30 * DAY_MS;
/** After a crash a night waits this long. An analysis that takes longer may be done twice, with the same bytes. */
const LEASE_MS = 5 * 60_000;
const SETTLE_MS = 60_000;

export interface NightlyReport {
  readonly experimentId: string;
  readonly name: string;
  readonly outcome: RunOutcome | "already-done" | "running-elsewhere";
  readonly detail: string | null;
}

/** Runs the nightly pipeline of a UTC day for every live experiment, or for one. A failure of one never stops the others. */
export async function runNightly(day: Day, deps: Deps, onlyId?: string): Promise<readonly NightlyReport[]> {
  const until = Math.min(endOfDay(day), deps.clock.now());
  const experiments = await deps.control.experiments.listForNightly(until - STOPPED_GRACE_MS);
  const chosen = experiments.filter(({ id }) => onlyId === undefined || id === onlyId);
  if (chosen.length > 0) await settleQueue(SETTLE_MS, deps);
  const reports: NightlyReport[] = [];
  const left = chosen.entries();
  const runRest = async () => {
    for (const [index, experiment] of left) {
      if (deps.stopping.aborted) return;
      reports[index] = await runOne(experiment, { day, until }, deps);
    }
  };
  await Promise.all(Array.from({ length: deps.analysis.count }, runRest));
  return reports.filter((report) => report !== undefined);
}

type Slot = { readonly day: Day; readonly until: number };

async function runOne(experiment: Experiment, { day, until }: Slot, deps: Deps): Promise<NightlyReport> {
  const { id: experimentId, orgId, config } = experiment;
  const report = (outcome: NightlyReport["outcome"], detail: string | null) => ({
    experimentId,
    name: config.name,
    outcome,
    detail,
  });
  const now = deps.clock.now();
  const lease = { orgId, experimentId, day, windowTo: until, now, leaseUntil: now + LEASE_MS };
  if (!(await deps.control.pipelineRuns.claim(lease))) {
    const held = await deps.control.pipelineRuns.find(experimentId, day);
    return held?.outcome === "running"
      ? report("running-elsewhere", null)
      : report("already-done", held?.outcome ?? null);
  }
  const { outcome, detail } = await attempt(experiment, { day, until }, deps);
  const ended = { experimentId, day, startedAt: now, outcome, now: deps.clock.now(), detail };
  await deps.control.pipelineRuns.finish(ended);
  return report(outcome, detail);
}

async function attempt(
  experiment: Experiment,
  { day, until }: Slot,
  deps: Deps,
): Promise<{ outcome: RunOutcome; detail: string | null }> {
  const stopTimer = deps.metrics.pipelineSeconds.startTimer();
  try {
    return await runExperiment(experiment, { label: { kind: "nightly", day }, until }, pipelineDeps(deps));
  } catch (error) {
    if (deps.stopping.aborted)
      return { outcome: "failed", detail: "The service stopped; the analysis runs again." };
    deps.log.error(
      { err: error, experimentId: experiment.id, day },
      "the nightly analysis of an experiment failed",
    );
    return { outcome: "failed", detail: "The analysis failed; the log says why." };
  } finally {
    stopTimer();
  }
}

/** What the pipeline may touch. */
export function pipelineDeps({ control, clock, analysis }: Deps) {
  const { experiments, results } = control;
  // No plan limits an org yet: the engines are sized for those of pro.
  const limits = PLAN_LIMITS.pro;
  return { experiments, results, clock, limits, codeVersion: VERSION, analyze: analysis.analyze };
}
