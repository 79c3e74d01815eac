import {
  type AllocationPeriod,
  type ArmSnapshot,
  allocationPeriods,
  type Clock,
  type EventStore,
  type Experiment,
  type ExperimentResults,
  type ExperimentStore,
  type Json,
  type ResultStore,
  type RunLabel,
} from "@assay/domain";
import { metricQueries } from "./metric-queries.ts";
import type { RunFrame } from "./run-frame.ts";

export interface PipelineDeps {
  readonly experiments: Pick<ExperimentStore, "listVersions">;
  readonly events: Pick<EventStore, "loadArms">;
  readonly results: Pick<ResultStore, "put">;
  readonly clock: Clock;
  /** `analyze`, wherever it runs. */
  readonly analyze: (frame: RunFrame, snapshot: ArmSnapshot) => Promise<ExperimentResults>;
}

export interface RunReport {
  readonly outcome: "computed" | "withheld" | "collecting";
  /** Why there are no rows; null when there are. */
  readonly detail: string | null;
  readonly results: ExperimentResults;
}

/**
 * Runs one experiment up to the cut-off `until` and stores the run: the same stages for nightly and manual runs.
 * A nightly run with no row at all is "collecting" and is not stored (spec §1.6); a withheld one is.
 */
export async function runExperiment(
  experiment: Experiment,
  { label, until }: { readonly label: RunLabel; readonly until: number },
  deps: PipelineDeps,
): Promise<RunReport> {
  const periods = await loadPeriods(experiment, until, deps);
  const snapshot = await deps.events.loadArms({
    orgId: experiment.orgId,
    experimentId: experiment.id,
    until,
    periodStarts: periods.slice(1).map(({ startsAt }) => startsAt),
    metrics: metricQueries(experiment.config.metrics),
  });
  const frame: RunFrame = { experiment, periods, label, until, computedAt: deps.clock.now() };
  const report = toReport(await deps.analyze(frame, snapshot));
  if (label.kind === "manual" || report.outcome !== "collecting")
    await store(experiment, report.results, deps);
  return report;
}

async function loadPeriods(
  { orgId, id }: Experiment,
  until: number,
  { experiments }: PipelineDeps,
): Promise<readonly AllocationPeriod[]> {
  const versions = [...(await experiments.listVersions(orgId, id))].reverse();
  // Users exposed before the first version (replayed events) belong to the first period; later versions came after the cut-off.
  return allocationPeriods(versions.filter(({ updatedAt }, index) => index === 0 || updatedAt < until));
}

function toReport(results: ExperimentResults): RunReport {
  if (results.srm.status === "halted") {
    return { outcome: "withheld", detail: "The traffic split differs from the allocation.", results };
  }
  if (Object.keys(results.results).length > 0) return { outcome: "computed", detail: null, results };
  const reasons = results.health.filter(({ code }) => code.startsWith("metric-")).map(({ detail }) => detail);
  return { outcome: "collecting", detail: reasons.join(" ") || "The experiment has no metrics.", results };
}

async function store(experiment: Experiment, results: ExperimentResults, deps: PipelineDeps): Promise<void> {
  await deps.results.put({
    orgId: experiment.orgId,
    experimentId: experiment.id,
    label: results.computedFor,
    preliminary: results.preliminary,
    windowTo: results.window.to,
    computedAt: results.computedAt,
    body: results as unknown as Json,
  });
}
