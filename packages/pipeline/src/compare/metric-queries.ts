import type { MetricDefinition, MetricQuery } from "@assay/domain";

/** Turns metrics into the event store's queries; metrics of judges have none. */
export function metricQueries(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  return metrics.flatMap(({ name, kind, source, windowDays, cap, acceptFrom }) =>
    source.event === "judge" ? [] : [{ name, kind, source, windowDays, cap, acceptFrom }],
  );
}
