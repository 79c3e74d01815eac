import type {
  AnalysisLimits,
  ArmSnapshot,
  Experiment,
  ExperimentReplay,
  FirstExposure,
  MetricDefinition,
} from "@assay/domain";
import { metricQueries } from "../compare/metric-queries.ts";
import { inShare } from "../health/srm-gate.ts";
import { eventData, judgedData } from "../run/metric-data.ts";
import {
  armsQuery,
  loadFirstExposures,
  type MetricEvents,
  withoutExcludedJudgements,
} from "../run/read-run-events.ts";
import { loadFrame, type PipelineDeps } from "../run/run-experiment.ts";
import type { RunFrame } from "../run-frame.ts";
import { replayMetric } from "./replay-metric.ts";

/** Number of random splits per metric: this many give the false-positive rate to about ± .02. */
const SPLITS = 1_000;
/**
 * With 200 permutations, p < .05 happens in 10 of 201 cases: as close to .05 as with a night's many
 * permutations.
 */
const PERMUTATIONS = 200;
/** Number of users that a replay splits over all metrics: about 15 s on one core. Metrics share it within their limits. */
const USERS = 30_000;
const MOST_USERS_PER_METRIC = 6_000;
const FEWEST_USERS_PER_METRIC = 600;

/** Replays an experiment's control arm up to `until`, epoch milliseconds. */
export async function replayExperiment(
  experiment: Experiment,
  until: number,
  deps: Omit<PipelineDeps, "analyze"> & {
    /** Runs `replayEvents`, possibly in another thread. */
    readonly replay: (frame: RunFrame) => Promise<ExperimentReplay>;
  },
): Promise<ExperimentReplay> {
  const frame = await loadFrame(experiment, { label: { kind: "manual", at: until }, until }, deps);
  return deps.replay(frame);
}

/** Reads the events and replays them. */
export async function replayEvents(given: RunFrame, events: MetricEvents): Promise<ExperimentReplay> {
  const frame = await withoutExcludedJudgements(given, events);
  const queries = metricQueries(given.experiment.config.metrics);
  const snapshot = await events.loadArms(armsQuery(frame, queries));
  return replay(frame, snapshot, await loadFirstExposures(frame, events));
}

/**
 * Splits the users of the control arm at random in two, a thousand times, and compares the halves of every metric as a
 * night compares two variants. Pure: the same input gives the same bytes.
 */
export function replay(
  frame: RunFrame,
  snapshot: Pick<ArmSnapshot, "metrics" | "exposures">,
  firstExposures: readonly FirstExposure[],
): ExperimentReplay {
  const { experiment, periods, until, computedAt } = frame;
  const { metrics, control } = experiment.config;
  const limits: AnalysisLimits = { ...frame.limits, maxPermutations: PERMUTATIONS };
  const share = Math.floor(USERS / Math.max(1, metrics.length));
  const maxUsers = Math.max(FEWEST_USERS_PER_METRIC, Math.min(MOST_USERS_PER_METRIC, share));
  const sums = inShare(snapshot.metrics, periods);
  const exposures = inShare(firstExposures, periods);
  const dataOf = (metric: MetricDefinition) =>
    metric.source.event === "judge"
      ? judgedData(metric, frame, exposures)
      : eventData(metric, sums, snapshot.exposures);
  return {
    experimentId: experiment.id,
    version: experiment.version,
    control,
    until,
    computedAt,
    splits: SPLITS,
    permutations: PERMUTATIONS,
    maxUsers,
    metrics: metrics.map((metric) =>
      replayMetric(metric, dataOf(metric), { frame: { experiment, limits }, splits: SPLITS, maxUsers }),
    ),
  };
}
