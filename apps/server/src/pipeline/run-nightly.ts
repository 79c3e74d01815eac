import { DAY_MS, type Day, type Experiment, endOfDay, type RunOutcome, rubricMetrics } from "@assay/domain";
import { runExperiment } from "@assay/pipeline";
import type { Logger } from "pino";
import type { Deps } from "../deps.ts";
import { loadExperimentPrices } from "../prices/price-lists.ts";
import { VERSION } from "../version.ts";
import { waitForDrainOrWarn } from "../worker/wait-for-drain.ts";

/** Stopped experiments are analysed for as long as outcomes may still arrive. */
export const STOPPED_GRACE_MS = 30 * DAY_MS;
/** After a crash a night waits this long. A process that stands still for longer may see its analysis done twice, with the same bytes. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
const SETTLE_MS = 60_000;
/** What is not judged by then is in the next night. */
const JUDGE_MS = 5 * 60_000;

export interface NightlyReport {
  readonly experimentId: string;
  readonly name: string;
  readonly outcome: RunOutcome | "already-done" | "running-elsewhere";
  readonly detail: string | null;
}

/** Runs the nightly pipeline of a UTC day for every live experiment, or for one. A failure of one never stops the others. */
export function runNightly(day: Day, deps: Deps, onlyId?: string): Promise<readonly NightlyReport[]> {
  return deps.tracing.span("nightly", { attributes: { "assay.day": day } }, async () => {
    const startedAt = performance.now();
    const reports = await analyzeDay(day, deps, onlyId);
    const isAnalysed = ({ outcome }: NightlyReport) =>
      outcome !== "already-done" && outcome !== "running-elsewhere";
    if (reports.some(isAnalysed)) deps.metrics.nightlySeconds.observe((performance.now() - startedAt) / 1000);
    return reports;
  });
}

async function analyzeDay(day: Day, deps: Deps, onlyId?: string): Promise<readonly NightlyReport[]> {
  const until = Math.min(endOfDay(day), deps.clock.now());
  const listChosen = async () => {
    const experiments = await deps.control.experiments.listForNightly(until - STOPPED_GRACE_MS);
    return experiments.filter(({ id }) => onlyId === undefined || id === onlyId);
  };
  let chosen = await listChosen();
  if (chosen.length > 0) await waitForDrainOrWarn(SETTLE_MS, deps);
  // Another model of the judge gives experiments new versions.
  if (await judgeFirst(chosen, day, deps)) chosen = await listChosen();
  const reports: NightlyReport[] = [];
  const left = chosen.entries();
  const runRest = async () => {
    for (const [index, experiment] of left) {
      if (deps.stopping.aborted) return;
      reports[index] = await runOne(experiment, { day, until }, deps);
    }
  };
  await Promise.all(Array.from({ length: deps.pipeline.count }, runRest));
  return reports.filter((report) => report !== undefined);
}

/** Has the day's calls judged before those who have no run of it yet are analysed; false when there is nothing to judge. */
async function judgeFirst(experiments: readonly Experiment[], day: Day, deps: Deps): Promise<boolean> {
  const judged: Experiment[] = [];
  for (const experiment of experiments.filter((one) => rubricMetrics(one).length > 0)) {
    const run = await deps.control.pipelineRuns.find(experiment.id, day);
    if (run === null || run.outcome === "failed" || run.outcome === "running") judged.push(experiment);
  }
  if (judged.length > 0) await deps.judging.judgeDay(day, judged, { timeoutMs: JUDGE_MS });
  return judged.length > 0;
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
  const attributes = { "assay.experiment_id": experimentId, "assay.day": day };
  const held = holdLease(() => renewLease({ experimentId, day, startedAt: now }, deps), RENEW_MS, deps.log);
  const { outcome, detail } = await deps.tracing
    .span("nightly.experiment", { attributes }, () => attempt(experiment, { day, until }, deps))
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
  /** Stops to renew it. */
  release(): void;
}

/**
 * Renews a lease again and again until it is released: so it can be short, and what a killed process held is free soon. A renewal
 * that fails, or finds the lease lost, is told to the log; the work goes on, since doing it twice does no harm.
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
        log.warn("a lease was lost; another process does the same work");
      })
      .catch((error: unknown) => log.warn({ err: error }, "a lease could not be renewed; it is tried again"))
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

/** What the pipeline may touch, under the limits of the org's plan. */
export async function pipelineDeps(orgId: string, { control, clock, pipeline, plans }: Deps) {
  const { experiments, results, judgements } = control;
  const limits = await plans.analysisLimits(orgId);
  const loadPrices = (experiment: Experiment) => loadExperimentPrices(experiment, { control });
  const { analyze } = pipeline;
  return { experiments, results, judgements, clock, limits, codeVersion: VERSION, loadPrices, analyze };
}
