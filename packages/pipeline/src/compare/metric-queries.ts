import type { MetricDefinition, MetricQuery } from "@assay/domain";

/** Converts metrics to queries of the event store. Judged metrics have none. */
export function metricQueries(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  return metrics.flatMap(({ name, kind, source, windowDays, cap, acceptFrom }) =>
    source.event === "judge" ? [] : [{ name, kind, source, windowDays, cap, acceptFrom }],
  );
}
