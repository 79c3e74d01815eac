import {
  DomainError,
  type Experiment,
  type FieldFault,
  invalidBody,
  type RubricMetric,
  rubricMetrics,
} from "@assay/domain";

/** Finds the judged metric that a body's `metric` names. Throws `invalid-body` when no judge of the experiment scores it. */
export function metricOfBody(experiment: Experiment, name: string): RubricMetric {
  const metric = find(experiment, name);
  if (metric === undefined) throw invalidBody([fault(name)]);
  return metric;
}

/** Finds the judged metric that the address's `metric` names. Throws `invalid-query` when no judge of the experiment scores it. */
export function metricOfQuery(experiment: Experiment, name: string): RubricMetric {
  const metric = find(experiment, name);
  if (metric !== undefined) return metric;
  const unknown = fault(name);
  throw new DomainError("invalid-query", `metric: ${unknown.detail}`, { faults: [unknown] });
}

const find = (experiment: Experiment, name: string) =>
  rubricMetrics(experiment).find((metric) => metric.name === name);

const fault = (name: string): FieldFault => ({
  pointer: "/metric",
  detail: `"${name}" is not a metric of this experiment that a judge scores by a rubric.`,
});
