import type { JUDGED_STATES } from "@assay/contract";
import type { Experiment, Judge, JudgedSeries, MetricDefinition } from "@assay/domain";
import { type JudgeAllowance, judgeAllowanceUsed, judgeLock } from "./judge-allowance.ts";
import type { JudgeStatus } from "./judging.ts";

/** A metric whose calls a judge scores. */
export interface RubricMetric extends MetricDefinition {
  readonly judge: Judge;
}

/** Lists the metrics whose source is a judge, also those that have no rubric yet. */
export function judgedMetrics({ config }: Pick<Experiment, "config">): readonly MetricDefinition[] {
  return config.metrics.filter(({ source }) => source.event === "judge");
}

/** Lists the metrics that a judge can score: of those that have it as their source, the ones with a rubric. */
export function rubricMetrics(experiment: Pick<Experiment, "config">): readonly RubricMetric[] {
  return judgedMetrics(experiment).filter((metric): metric is RubricMetric => metric.judge !== null);
}

/** Names the scores of a metric as it is now. */
export function seriesOf(
  { orgId, id: experimentId }: Pick<Experiment, "orgId" | "id">,
  { name: metric, metricVersion }: Pick<MetricDefinition, "name" | "metricVersion">,
): JudgedSeries {
  return { orgId, experimentId, metric, metricVersion };
}

export type JudgedState = (typeof JUDGED_STATES)[number];

/** Tells whether a metric's calls are judged, and in a sentence why not and what to do. */
export function judgedState(
  { config, isDemo }: Pick<Experiment, "config" | "isDemo">,
  { judge }: Pick<MetricDefinition, "judge">,
  { status, allowance }: { readonly status: JudgeStatus; readonly allowance: JudgeAllowance },
): { readonly state: JudgedState; readonly detail: string } {
  if (judge === null)
    return {
      state: "no-rubric",
      detail: "Give the metric a rubric: nothing says what makes an answer good.",
    };
  if (isDemo)
    return { state: "not-running", detail: "The demo is judged when it is loaded, and has no new calls." };
  const lock = judgeLock(allowance);
  if (lock !== null) return { state: "locked", detail: lock };
  if (status.model === null) {
    const detail = "Set ASSAY_JUDGE_URL and ASSAY_JUDGE_MODEL: no judge is known to this installation.";
    return { state: "not-configured", detail };
  }
  if (config.status !== "running") {
    const detail = `The experiment is ${config.status === "draft" ? "a draft" : "stopped"}: no new calls are judged.`;
    return { state: "not-running", detail };
  }
  if (status.fault !== null) return { state: "judge-failing", detail: status.fault.detail };
  const used = judgeAllowanceUsed(allowance);
  if (used !== null) return { state: "allowance-used", detail: used };
  return {
    state: "judging",
    detail: `Each day's calls are drawn once the day is over; ${status.model} scores them.`,
  };
}
