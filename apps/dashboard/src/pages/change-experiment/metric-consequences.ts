import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { DEFAULT_SAMPLE_RATE } from "../../format/judge-words.ts";
import { isJudged } from "../../format/metric-words.ts";
import { percent } from "../../format/numbers.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, NOTHING } from "./consequence.ts";

const JUDGED_ANEW =
  "New answers are drawn and judged, which uses up the plan's allowance. Existing scores and labels stay with the old version.";

/** Lists what changed metrics mean: nothing for users, something for results. */
export function metricConsequences(base: Experiment, { metrics }: Change): readonly Consequence[] {
  if (metrics === undefined) return [];
  const old = new Map(configOf(base).metrics.map((metric) => [metric.name, metric]));
  const kept = new Set(metrics.map(({ name }) => name));
  return [
    ...metrics.flatMap((metric) => rowOf(old.get(metric.name), metric)),
    ...[...old.keys()]
      .filter((name) => !kept.has(name))
      .map((name) => row(`${name} is removed`, "The next run no longer computes it. Stored runs keep it.")),
  ];
}

function rowOf(was: MetricDefinition | undefined, now: MetricDefinition): readonly Consequence[] {
  if (was === undefined) {
    const later = "The next run computes it over all stored data since the start.";
    return [row(`${now.name} is new`, later)];
  }
  if (was.metric_version !== now.metric_version) {
    const change = `${now.name} measures something else: version ${was.metric_version} → ${now.metric_version}, set for you`;
    const joined = "A new series starts. Stored runs keep the old one; the two are not combined.";
    return [row(change, isJudged(now) ? `${joined} ${JUDGED_ANEW}` : joined)];
  }
  if (was.role !== now.role) {
    const later =
      "This changes which metric decides after results may have been seen. Explain why in the description.";
    return [row(`${now.name}: ${was.role} → ${now.role}`, later)];
  }
  const rates = [was, now].map(({ judge }) => judge?.sample_rate ?? DEFAULT_SAMPLE_RATE);
  if (isJudged(now) && rates[0] !== rates[1]) {
    const change = `${now.name}: ${rates.map((rate) => percent(rate)).join(" → ")} of the calls are judged`;
    return [row(change, "Applies from the next day that is drawn. Scores stay comparable.")];
  }
  return JSON.stringify(was) === JSON.stringify(now)
    ? []
    : [row(`${now.name}: test settings`, "The next run uses them. Results stay comparable.")];
}

function row(change: string, results: string): Consequence {
  return { change, present: NOTHING, later: `${NOTHING} ${results}` };
}
