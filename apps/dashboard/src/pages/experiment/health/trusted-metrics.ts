import type { MetricDefinition } from "../../../api/types.ts";
import { TRUSTED } from "../../experiment-form/metric-options.ts";
import type { SentMetric } from "../../experiment-form/metric-values.ts";

/** Returns the metrics to send so that those with these names accept trusted sources only, each under its next version. */
export function withTrustedSources(
  metrics: readonly MetricDefinition[],
  names: readonly string[],
): SentMetric[] {
  return metrics.map((metric) =>
    names.includes(metric.name)
      ? { ...metric, accept_from: [...TRUSTED], metric_version: metric.metric_version + 1 }
      : metric,
  ) as SentMetric[];
}
