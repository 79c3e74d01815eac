import type { FieldFault } from "../problem.ts";
import type { Experiment } from "./config.ts";
import type { MetricDefinition } from "./metric.ts";

/** For each metric name, the definition with the highest metric version that the experiment ever had. */
export type MetricHistory = ReadonlyMap<string, MetricDefinition>;

/** Finds the highest version of each metric, removed ones included, in an experiment's versions (newest first). */
export function metricHistory(versions: readonly Pick<Experiment, "config">[]): MetricHistory {
  const history = new Map<string, MetricDefinition>();
  for (const metric of versions.flatMap(({ config }) => config.metrics)) {
    const known = history.get(metric.name);
    if (known === undefined || metric.metricVersion > known.metricVersion) history.set(metric.name, metric);
  }
  return history;
}

/** A metric with its version, and what is wrong with that version. */
export interface VersionedMetric {
  readonly metric: MetricDefinition;
  readonly fault: FieldFault | null;
}

/**
 * Checks a metric against the meaning of its version: another meaning needs a higher version, and versions never fall. A judged
 * metric's version rises automatically if only its rubric or scale changes. `now` is the experiment's current metric, and
 * `known` the one with the highest version; both are undefined for a new name. `at` is the metric's JSON Pointer.
 */
export function versionMetric(
  metric: MetricDefinition,
  {
    now,
    known,
  }: { readonly now?: MetricDefinition | undefined; readonly known?: MetricDefinition | undefined },
  at: string,
): VersionedMetric {
  if (known === undefined || metric.metricVersion > known.metricVersion) return { metric, fault: null };
  // Versions could fall before this rule existed, so an unchanged metric is kept.
  if (now !== undefined && isContinued(now, metric)) return { metric, fault: null };
  const changes = changesOfMeaning(known, metric);
  if (known.judge !== null && changes.every(({ field }) => field === "judge")) {
    const raised = known.metricVersion + changes.length;
    return { metric: { ...metric, metricVersion: raised }, fault: null };
  }
  const detail = versionFault(metric, known, changes);
  return { metric, fault: detail === null ? null : { pointer: `${at}/metric_version`, detail } };
}

function isContinued(before: MetricDefinition, after: MetricDefinition): boolean {
  return before.metricVersion === after.metricVersion && changesOfMeaning(before, after).length === 0;
}

function versionFault(
  { metricVersion }: MetricDefinition,
  known: MetricDefinition,
  changes: readonly Change[],
): string | null {
  const highest = known.metricVersion;
  if (changes.length > 0) {
    const list = changes.map(({ words }) => words).join(", ");
    return `${list}. Send metric_version ${highest + 1}, which starts a new series.`;
  }
  if (metricVersion === highest) return null;
  return `Versions only go up, and this metric has had version ${highest}. Send metric_version ${highest}.`;
}

interface Change {
  /** As on the wire. */
  readonly field: keyof ReturnType<typeof meaningOf>;
  readonly words: string;
}

/** Lists the fields that make two definitions different measurements, whose results are not one series. */
export function changesOfMeaning(before: MetricDefinition, after: MetricDefinition): readonly Change[] {
  const [was, is] = [meaningOf(before), meaningOf(after)];
  // Without a rubric nothing was judged, so adding the first one does not change the meaning.
  if (before.judge === null) was.judge = is.judge;
  const fields = Object.keys(is) as Change["field"][];
  return fields
    .filter((field) => was[field] !== is[field])
    .map((field) => ({
      field,
      // Rubrics are too long to quote.
      words:
        field === "judge"
          ? "the judge's rubric or scale changed"
          : `${field} changed from ${was[field]} to ${is[field]}`,
    }));
}

/** The meaning of a metric version: each field as text that is equal only for equal meanings. */
export function meaningOf({ kind, source, quantile, cap, windowDays, judge, acceptFrom }: MetricDefinition) {
  return {
    kind: kind as string,
    source: sourceText(source),
    quantile: kind === "quantile" ? String(quantile) : "none",
    cap: String(cap ?? "none"),
    window_days: String(windowDays ?? "none"),
    judge: judge && JSON.stringify([judge.rubric, judge.scale]),
    accept_from: acceptFrom === null ? "every source" : [...acceptFrom].sort().join(" or "),
  };
}

function sourceText(source: MetricDefinition["source"]): string {
  if (source.event === "model_call" || source.event === "run") return `${source.event} ${source.field}`;
  if (source.event === "judge") return "judge";
  return `business_event ${JSON.stringify(source.businessMetric)}`;
}
