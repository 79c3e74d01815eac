import { DAY_MS, type Day, type Experiment, endOfDay, hasRubricMetric, type RunOutcome } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import type { Logger } from "pino";
import { alertingResults } from "../alerts/raise-night-alerts.ts";
import type { Deps } from "../deps.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";
import { VERSION } from "../version.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";

/** Stopped experiments are analyzed for as long as outcomes may still arrive. */
export const STOPPED_GRACE_MS = 30 * DAY_MS;
/** How long a nightly run waits after a crash. If a process freezes for longer, its run may be computed twice, with identical bytes. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
const SETTLE_MS = 60_000;
/** What is not judged by then counts from the next night on. */
const JUDGE_MS = 5 * 60_000;

export interface NightlyReport {
  readonly day: Day;
  readonly experimentId: string;
  readonly name: string;
  readonly outcome: RunOutcome | "already-done" | "running-elsewhere";
  readonly detail: string | null;
}

/** The part of a night that a caller runs. */
export interface NightShare {
  /** The experiments; all when absent. */
  readonly takes?: (experiment: Experiment) => boolean;
  /** A run that found nothing to compute counts as done if it ended then or later: another process made it in the same night. */
  readonly standsSince?: number;
  /** A day whose calls are judged while this one is analyzed. */
  readonly next?: Day;
}

/** Runs the nights of several days in order, because each builds on the earlier ones. */
export async function runNights(
  days: readonly Day[],
  deps: Deps,
  share: Pick<NightShare, "takes">,
): Promise<readonly NightlyReport[]> {
  const reports: NightlyReport[] = [];
  for (const [index, day] of days.entries()) {
    const next = days[index + 1];
    reports.push(...(await runNightly(day, deps, { ...share, ...(next !== undefined && { next }) })));
  }
  return reports;
}

/** Runs the nightly pipeline of a UTC day for the live experiments of a share. One failed experiment never stops the others. */
export function runNightly(day: Day, deps: Deps, share: NightShare = {}): Promise<readonly NightlyReport[]> {
  return deps.tracing.span("nightly", { attributes: { "assay.day": day } }, async () => {
    const startedAt = performance.now();
    const reports = await analyzeDay(day, deps, share);
    if (reports.some(isAnalyzed)) deps.metrics.nightlySeconds.observe((performance.now() - startedAt) / 1000);
    return reports;
  });
}

/** Whether this process ran the experiment's night. */
export function isAnalyzed({ outcome }: NightlyReport): boolean {
  return outcome !== "already-done" && outcome !== "running-elsewhere";
}

async function analyzeDay(
  day: Day,
  deps: Deps,
  { takes = () => true, standsSince, next }: NightShare,
): Promise<readonly NightlyReport[]> {
  const until = Math.min(endOfDay(day), deps.clock.now());
  const listChosen = async () => {
    const experiments = await deps.control.experiments.listForNightly(until - STOPPED_GRACE_MS);
    return experiments.filter(takes);
  };
  let chosen = await listChosen();
  if (chosen.length > 0) await waitForDrainOrWarn(SETTLE_MS, deps);
  // A new judge model gives experiments new versions.
  if (await judgeFirst(chosen, day, deps)) chosen = await listChosen();
  const reports: NightlyReport[] = [];
  const left = chosen.entries();
  const runRest = async () => {
    for (const [index, experiment] of left) {
      if (deps.stopping.aborted) return;
      reports[index] = await runOne(experiment, { day, until, standsSince }, deps);
    }
  };
  await Promise.all([
    ...Array.from({ length: deps.pipeline.count }, runRest),
    ...(next === undefined ? [] : [judgeFirst(chosen, next, deps)]),
  ]);
  return reports.filter((report) => report !== undefined);
}

/** Gets the day's calls judged for the experiments without a run of that day. False when there is nothing to judge. */
async function judgeFirst(experiments: readonly Experiment[], day: Day, deps: Deps): Promise<boolean> {
  const judged: Experiment[] = [];
  for (const experiment of experiments.filter(hasRubricMetric)) {
    const run = await deps.control.pipelineRuns.find(experiment.id, day);
    if (!isFinished(run)) judged.push(experiment);
  }
  if (judged.length === 0) return false;
  deps.pipeline.prepare();
  await deps.judging.judgeDay(day, judged, { timeoutMs: JUDGE_MS });
  return true;
}

/** Whether a nightly run has an outcome that stays. */
export function isFinished(run: { readonly outcome: RunOutcome | "running" } | null): boolean {
  return run !== null && run.outcome !== "running" && run.outcome !== "failed";
}

type Slot = { readonly day: Day; readonly until: number } & Pick<NightShare, "standsSince">;

async function runOne(experiment: Experiment, slot: Slot, deps: Deps): Promise<NightlyReport> {
  const { day, until, standsSince } = slot;
  const { id: experimentId, orgId, config } = experiment;
  const report = (outcome: NightlyReport["outcome"], detail: string | null) => ({
    day,
    experimentId,
    name: config.name,
    outcome,
    detail,
  });
  const now = deps.clock.now();
  const lease = { orgId, experimentId, day, windowTo: until, now, leaseUntil: now + LEASE_MS, standsSince };
  if (!(await deps.control.pipelineRuns.claim(lease))) {
    const held = await deps.control.pipelineRuns.find(experimentId, day);
    return held?.outcome === "running"
      ? report("running-elsewhere", null)
      : report("already-done", held?.outcome ?? null);
  }
  const attributes = { "assay.experiment_id": experimentId, "assay.day": day };
  const held = holdLease(() => renewLease({ experimentId, day, startedAt: now }, deps), RENEW_MS, deps.log);
  const { outcome, detail } = await deps.tracing
    .span("nightly.experiment", { attributes }, () => attempt(experiment, slot, deps))
    .finally(() => held.release());
  deps.metrics.nightlyOutcomes.inc({ outcome });
  const ended = { experimentId, day, startedAt: now, outcome, now: deps.clock.now(), detail };
  await deps.control.pipelineRuns.finish(ended);
  return report(outcome, detail);
}

function renewLease(
  run: { readonly experimentId: string; readonly day: Day; readonly startedAt: number },
  { control, clock }: Pick<Deps, "control" | "clock">,
): Promise<boolean> {
  return control.pipelineRuns.renew({ ...run, leaseUntil: clock.now() + LEASE_MS });
}

/** A lease while it is held. */
interface HeldLease {
  /** Stops renewing it. */
  release(): void;
}

/**
 * Renews a lease until it is released. Leases can therefore be short, and those of a killed process expire soon. A failed renewal or a
 * lost lease is logged; the work continues, because doing it twice is harmless.
 */
function holdLease(renew: () => Promise<boolean>, everyMs: number, log: Logger): HeldLease {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    renew()
      .then((isMine) => {
        if (isMine) return;
        clearInterval(timer);
        log.warn("lost a lease; another process is doing the same work");
      })
      .catch((error: unknown) => log.warn({ err: error }, "could not renew a lease; it is retried"))
      .finally(() => {
        isBusy = false;
      });
  }, everyMs);
  timer.unref();
  return { release: () => clearInterval(timer) };
}

async function attempt(
  experiment: Experiment,
  { day, until }: Slot,
  deps: Deps,
): Promise<{ outcome: RunOutcome; detail: string | null }> {
  const stopTimer = deps.metrics.pipelineSeconds.startTimer();
  try {
    return await runExperiment(
      experiment,
      { label: { kind: "nightly", day }, until },
      await pipelineDeps(experiment.orgId, deps),
    );
  } catch (error) {
    if (deps.stopping.aborted)
      return { outcome: "failed", detail: "The service stopped. The run will be repeated." };
    deps.log.error(
      { err: error, experimentId: experiment.id, day },
      "the nightly run of an experiment failed",
    );
    return { outcome: "failed", detail: "The run failed. See the log for the cause." };
  } finally {
    stopTimer();
  }
}

/** Collects what the pipeline may use, under the limits of the org's plan. */
export async function pipelineDeps(orgId: string, { control, events, clock, pipeline, plans }: Deps) {
  const { experiments, exclusions, judgements } = control;
  const limits = await plans.analysisLimits(orgId);
  const loadPrices = (experiment: Experiment) => loadExperimentPrices(experiment, { control });
  const { analyze, replay, analyzeHoldback } = pipeline;
  return {
    experiments,
    exclusions,
    events,
    results: alertingResults({ control, clock }),
    judgements,
    clock,
    limits,
    codeVersion: VERSION,
    loadPrices,
    analyze,
    replay,
    analyzeHoldback,
  };
}
