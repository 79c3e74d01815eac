import type { Experiment } from "../experiment/config.ts";
import type { MetricDefinition } from "../experiment/metric.ts";
import type { JudgedSeries } from "../ports/judgements.ts";
import type { Judge } from "./judge.ts";

/** A metric whose calls a judge scores. */
export interface RubricMetric extends MetricDefinition {
  readonly judge: Judge;
}

/** Lists the metrics whose source is a judge, including those without a rubric. */
export function judgedMetrics({ config }: Pick<Experiment, "config">): readonly MetricDefinition[] {
  return config.metrics.filter(({ source }) => source.event === "judge");
}

/** Lists the metrics that a judge can score: their source is a judge and they have a rubric. */
export function rubricMetrics(experiment: Pick<Experiment, "config">): readonly RubricMetric[] {
  return judgedMetrics(experiment).filter((metric): metric is RubricMetric => metric.judge !== null);
}

/** Whether a judge scores calls of the experiment. */
export function hasRubricMetric(experiment: Pick<Experiment, "config">): boolean {
  return rubricMetrics(experiment).length > 0;
}

/** Returns the series that a metric's scores currently belong to. */
export function seriesOf(
  { orgId, id: experimentId }: Pick<Experiment, "orgId" | "id">,
  { name: metric, metricVersion }: Pick<MetricDefinition, "name" | "metricVersion">,
): JudgedSeries {
  return { orgId, experimentId, metric, metricVersion };
}
