import { type FieldFault, rejectFaults } from "../problem.ts";
import { checkMetric } from "./check-config.ts";
import type { ExperimentConfig } from "./config.ts";
import { type MetricDefinition, methodsOfKind } from "./metric.ts";
import { type MetricHistory, meaningOf, versionMetric } from "./metric-version.ts";

/** The metrics that an org's experiments share, by name. */
export type SharedMetrics = ReadonlyMap<string, MetricDefinition>;

/**
 * Makes an experiment's metric from a shared definition. The experiment keeps its own role and target effect, and a test chosen by
 * hand if it fits the kind.
 */
export function adoptShared(shared: MetricDefinition, own: MetricDefinition): MetricDefinition {
  const { role, targetEffect, method } = own;
  const isFit = method !== null && methodsOfKind(shared.kind).includes(method);
  return { ...shared, role, targetEffect, method: isFit ? method : null };
}

/** Returns whether an experiment's metric equals the shared one, so that it follows changes to the shared one. */
export function followsShared(metric: MetricDefinition, shared: MetricDefinition | undefined): boolean {
  return metric.sharedOrgWide && shared !== undefined && differences(metric, shared).length === 0;
}

/**
 * Refuses a metric that is marked as shared but differs from the shared definition. The experiment's existing metric stays, because
 * data from before shared metrics were one object may differ. `at` is the metric's JSON Pointer.
 */
export function sharedFaults(
  metric: MetricDefinition,
  {
    now,
    shared,
  }: { readonly now: MetricDefinition | undefined; readonly shared: MetricDefinition | undefined },
  at: string,
): readonly FieldFault[] {
  if (!metric.sharedOrgWide || shared === undefined) return [];
  if (now?.sharedOrgWide && differences(metric, now).length === 0) return [];
  const fields = differences(metric, shared);
  const telling = fields.length > 1 ? fields.filter((field) => field !== "metric_version") : fields;
  return telling.map((field) => {
    const has = field === "metric_version" ? `metric_version ${shared.metricVersion}` : `another ${field}`;
    return {
      pointer: `${at}/${field}`,
      detail: `The shared metric "${metric.name}" has ${has}. ${howToChange(metric.name)}`,
    };
  });
}

/** Says what to do if a shared metric does not fit an experiment. */
export function howToChange(name: string): string {
  return `Change it for every experiment that uses it, with PUT /v1/metrics/${name}, or send shared_org_wide false to give this experiment its own copy.`;
}

/** Makes the next definition of a shared metric. Throws `invalid-body`. */
export function nextShared(stored: MetricDefinition, sent: MetricDefinition): MetricDefinition {
  // Under another name the default source may differ too, which is not worth reporting.
  rejectFaults(identityFaults(stored, sent));
  const { metric, fault } = versionMetric(sent, { now: stored, known: stored }, "");
  rejectFaults([...(fault === null ? [] : [fault]), ...checkMetric(metric, "")]);
  return metric;
}

function identityFaults({ name }: MetricDefinition, sent: MetricDefinition): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (sent.name !== name) {
    const detail = `A metric keeps its name: send "${name}", as in the address.`;
    faults.push({ pointer: "/name", detail });
  }
  if (!sent.sharedOrgWide) {
    const detail =
      "A shared metric stays shared: send true. To give an experiment its own copy, send false in that experiment.";
    faults.push({ pointer: "/shared_org_wide", detail });
  }
  return faults;
}

/** The effect of a shared metric's change on an experiment; `metrics` is null if the experiment does not change. */
export interface SharedChange {
  readonly metrics: readonly MetricDefinition[] | null;
  /** Why an experiment that uses the metric cannot take the change. */
  readonly fault: FieldFault | null;
}

/**
 * Applies a change of a shared metric to an experiment. An experiment whose definition already differed takes the shared one if its
 * own version is lower; otherwise it keeps its own.
 */
export function takeShared(
  { name, metrics }: Pick<ExperimentConfig, "name" | "metrics">,
  { from, to }: { readonly from: MetricDefinition; readonly to: MetricDefinition },
  history: MetricHistory,
): SharedChange {
  const own = metrics.find((metric) => metric.name === to.name && metric.sharedOrgWide);
  if (own === undefined || followsShared(own, to)) return { metrics: null, fault: null };
  const known = history.get(to.name) ?? own;
  const { metric, fault } = versionMetric(adoptShared(to, own), { now: own, known }, "");
  if (fault === null && followsShared(metric, to))
    return { metrics: metrics.map((one) => (one === own ? metric : one)), fault: null };
  if (!followsShared(own, from)) return { metrics: null, fault: null };
  const highest = known.metricVersion;
  const detail = `In the experiment "${name}" this metric has had version ${highest}. Send metric_version ${highest + 1}.`;
  return { metrics: null, fault: { pointer: "/metric_version", detail } };
}

/** Lists the wire fields in which two definitions differ, apart from those that each experiment sets itself. */
function differences(one: MetricDefinition, other: MetricDefinition): readonly string[] {
  const [fields, others] = [definitionOf(one), definitionOf(other)];
  return Object.entries(fields).flatMap(([field, value]) =>
    value === others[field as keyof typeof others] ? [] : [field],
  );
}

function definitionOf(metric: MetricDefinition) {
  const { category, methodDefault, metricVersion, desired, margin, description, judge, unit } = metric;
  return {
    ...meaningOf(metric),
    judge: judge && JSON.stringify([judge.rubric, judge.scale, judge.sampleRate]),
    ...{ category, desired, margin, description, unit },
    display_name: metric.displayName,
    method_default: methodDefault,
    metric_version: metricVersion,
  };
}
