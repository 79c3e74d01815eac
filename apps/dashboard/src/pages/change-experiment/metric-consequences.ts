import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, NOTHING } from "./consequence.ts";

/** Says what changed metrics mean: nothing for users, something for results. */
export function metricConsequences(base: Experiment, { metrics }: Change): readonly Consequence[] {
  if (metrics === undefined) return [];
  const old = new Map(configOf(base).metrics.map((metric) => [metric.name, metric]));
  const kept = new Set(metrics.map(({ name }) => name));
  return [
    ...metrics.flatMap((metric) => rowOf(old.get(metric.name), metric)),
    ...[...old.keys()]
      .filter((name) => !kept.has(name))
      .map((name) =>
        row(`${name} is removed`, "It is computed no more from the next run on. Stored runs keep it."),
      ),
  ];
}

function rowOf(was: MetricDefinition | undefined, now: MetricDefinition): readonly Consequence[] {
  if (was === undefined) {
    const later = "It is computed from the next run on, over all data since the start that it can read.";
    return [row(`${now.name} is new`, later)];
  }
  if (was.metric_version !== now.metric_version) {
    const change = `${now.name} measures something else: version ${was.metric_version} → ${now.metric_version}, set for you`;
    return [row(change, "A new series begins. Stored runs keep the old one, and the two are not joined.")];
  }
  if (was.role !== now.role) {
    const later =
      "Which metric decides changes after numbers may have been seen: say why in the description.";
    return [row(`${now.name}: ${was.role} → ${now.role}`, later)];
  }
  return JSON.stringify(was) === JSON.stringify(now)
    ? []
    : [row(`${now.name}: what it is judged by`, "The next run uses it. Its numbers stay comparable.")];
}

function row(change: string, results: string): Consequence {
  return { change, present: NOTHING, later: `${NOTHING} ${results}` };
}
