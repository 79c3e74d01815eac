import type { BodyFault } from "../../api/problem.ts";
import type { MetricDefinition } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { checkForm } from "../experiment-form/check-form.ts";
import { type ExperimentValues, emptyValues } from "../experiment-form/form-values.ts";
import { type SentMetric, toMetric, toMetricValues, versionFor } from "../experiment-form/metric-values.ts";
import type { CatalogueEntry } from "./find-metrics.ts";

/** Where the form has the metric. */
export const METRIC_POINTER = "/metrics/0";

/** Returns the experiment form's values with only the metric, so that its fields can be used alone. */
export function metricFormOf(definition: MetricDefinition): ExperimentValues {
  return { ...emptyValues(""), metrics: [toMetricValues(definition)] };
}

/** Lists what the service would refuse of the metric. */
export function checkMetricForm(values: ExperimentValues): readonly BodyFault[] {
  return checkForm(values).filter(({ pointer }) => pointer.startsWith(METRIC_POINTER));
}

/** Returns the edited metric, with the next version if it measures something else. Null without a change. */
export function editedMetric(stored: MetricDefinition, values: ExperimentValues): SentMetric | null {
  const [sent] = values.metrics.map(toMetric);
  const before = toMetric(toMetricValues(stored));
  if (sent === undefined || JSON.stringify(sent) === JSON.stringify(before)) return null;
  return { ...sent, metric_version: versionFor(sent, [stored]) };
}

/** Says what saving does to the experiments that use the metric. */
export function reachInWords(
  { definition, used_by: usedBy }: CatalogueEntry,
  edited: MetricDefinition,
): readonly string[] {
  const open = usedBy.filter(
    ({ status, follows }) => follows && (status === "draft" || status === "running"),
  );
  const reach =
    open.length === 0
      ? "No draft or running experiment uses the metric."
      : `${counted(open.length, "experiment")} will get a new version: ${open.map(({ name }) => name).join(", ")}.`;
  if (edited.metric_version === definition.metric_version) return [reach];
  const series = `The metric measures something else: version ${definition.metric_version} → ${edited.metric_version}, set for you. A new series of results starts.`;
  return [series, reach];
}
