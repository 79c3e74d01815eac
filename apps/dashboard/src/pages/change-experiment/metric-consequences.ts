import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { DEFAULT_SAMPLE_RATE } from "../../format/judge-words.ts";
import { isJudged } from "../../format/metric-words.ts";
import { percent } from "../../format/numbers.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, NOTHING } from "./consequence.ts";

const JUDGED_ANEW =
  "Answers are drawn and judged anew, which the plan's allowance pays for; scores and labels so far stay with the old version.";

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
    const joined = "A new series begins. Stored runs keep the old one, and the two are not joined.";
    return [row(change, isJudged(now) ? `${joined} ${JUDGED_ANEW}` : joined)];
  }
  if (was.role !== now.role) {
    const later =
      "Which metric decides changes after numbers may have been seen: say why in the description.";
    return [row(`${now.name}: ${was.role} → ${now.role}`, later)];
  }
  const rates = [was, now].map(({ judge }) => judge?.sample_rate ?? DEFAULT_SAMPLE_RATE);
  if (isJudged(now) && rates[0] !== rates[1]) {
    const change = `${now.name}: ${rates.map((rate) => percent(rate)).join(" → ")} of the calls are judged`;
    return [row(change, "Counts from the next day that is drawn. Its scores stay comparable.")];
  }
  return JSON.stringify(was) === JSON.stringify(now)
    ? []
    : [row(`${now.name}: how it is tested`, "The next run uses it. Its numbers stay comparable.")];
}

function row(change: string, results: string): Consequence {
  return { change, present: NOTHING, later: `${NOTHING} ${results}` };
}
