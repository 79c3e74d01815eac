import type { MetricDefinition, MetricQuery } from "@assay/domain";

/** Turns the metrics that this version can analyse into what the event store computes; the others have no query. */
export function metricQueries(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  return metrics.flatMap(({ name, kind, source, windowDays, cap }) =>
    kind === "quantile" || kind === "ordinal" || source.event === "judge"
      ? []
      : [{ name, kind, source, windowDays, cap }],
  );
}
