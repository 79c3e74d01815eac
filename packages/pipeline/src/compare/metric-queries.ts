import type { MetricDefinition, MetricQuery } from "@assay/domain";

/** Turns the metrics into what the event store computes; those of judges have no query. */
export function metricQueries(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  return metrics.flatMap(({ name, kind, source, windowDays, cap, acceptFrom }) =>
    source.event === "judge" ? [] : [{ name, kind, source, windowDays, cap, acceptFrom }],
  );
}
