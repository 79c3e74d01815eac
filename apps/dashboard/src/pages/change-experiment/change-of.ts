import type { WithArrays } from "../../api/client.ts";
import type { BodyFault } from "../../api/problem.ts";
import type { Experiment, MetricDefinition, Wire } from "../../api/types.ts";
import { type SentConfig, toConfig } from "../experiment-form/form-to-config.ts";
import { type ExperimentValues, valuesOf } from "../experiment-form/form-values.ts";
import { versionFor } from "../experiment-form/metric-values.ts";
import { decidesAlike } from "../experiment-form/plan-values.ts";

/** The body of a change: only the fields that differ. */
export type Change = WithArrays<Wire<"ExperimentChange">>;

const FIELDS = [
  "name",
  "hypothesis",
  "description",
  "variants",
  "qa_users",
  "visibility",
  "control",
  "allocation",
  "coverage",
  "rollout",
  "guard",
  "assignment",
  "flag_key",
  "metrics",
  "plan",
] as const;
export type ChangedField = (typeof FIELDS)[number];

export const FIELD_WORDS: Readonly<Record<ChangedField, string>> = {
  name: "name",
  hypothesis: "hypothesis",
  description: "description",
  variants: "variants",
  qa_users: "QA users",
  visibility: "who gets prompts and variables",
  control: "control",
  allocation: "weights",
  coverage: "share of traffic",
  rollout: "rollout",
  guard: "guard",
  assignment: "who assigns",
  flag_key: "flag key",
  metrics: "metrics",
  plan: "decision plan",
};

/**
 * Returns the form's changes to a stored experiment. A metric with a new meaning gets the next version. It is higher
 * than any that the metric had in `versions` (newest first), also if the metric was removed in between.
 */
export function changeOf(
  base: Experiment,
  values: ExperimentValues,
  versions: readonly Experiment[] = [base],
): Change {
  const before = configOf(base);
  const edited = toConfig(values, "running");
  const after = { ...edited, metrics: withVersions(edited.metrics, before.metrics, versions) };
  const differing = FIELDS.filter((field) => differs(field, before, after));
  return {
    ...Object.fromEntries(differing.map((field) => [field, after[field]])),
    ...(values.isToRun ? { status: "running" } : {}),
  };
}

/** Returns a fault if a changed plan has no reason, which the service refuses once users are exposed. */
export function reasonFaults(base: Experiment, values: ExperimentValues): readonly BodyFault[] {
  const isPlanChanged = !decidesAlike(configOf(base).plan, toConfig(values, "running").plan);
  if (!isPlanChanged || values.plan.reason.trim() !== "") return [];
  return [{ pointer: "/plan/reason", detail: "Explain in one sentence why you are changing the plan." }];
}

/** Lists the fields in which two versions differ, in the form's spelling. */
export function fieldsBetween(one: Experiment, other: Experiment): readonly ChangedField[] {
  const [before, after] = [configOf(one), configOf(other)];
  return FIELDS.filter((field) => differs(field, before, after));
}

function differs(field: ChangedField, before: SentConfig, after: SentConfig): boolean {
  return field === "plan" ? !decidesAlike(before.plan, after.plan) : !isSame(before[field], after[field]);
}

/** Applies the form's changes to a newer version; the form wins where both changed a field. */
export function rebased(
  latest: Experiment,
  { change, isToRun }: { readonly change: Change; readonly isToRun: boolean },
): ExperimentValues {
  const { status: _, ...fields } = change;
  const values = valuesOf({ ...latest, ...(fields as Partial<Experiment>) });
  return {
    ...values,
    plan: { ...values.plan, reason: change.plan?.reason ?? "" },
    baseVersion: latest.version,
    isToRun,
  };
}

/** Returns a stored experiment in the form's spelling, so that only real differences show. */
export function configOf(experiment: Experiment): SentConfig {
  return toConfig(valuesOf(experiment), "running");
}

function withVersions(
  metrics: SentConfig["metrics"],
  before: readonly MetricDefinition[],
  versions: readonly Experiment[],
): SentConfig["metrics"] {
  const known = Map.groupBy(
    versions.flatMap((version) => version.metrics),
    ({ name }) => name,
  );
  return metrics.map((metric) => {
    if (before.some((old) => isSame(old, metric))) return metric;
    return { ...metric, metric_version: versionFor(metric, known.get(metric.name) ?? []) };
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
