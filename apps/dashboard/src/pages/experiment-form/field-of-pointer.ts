import type { FieldPath } from "react-hook-form";
import type { ExperimentValues } from "./form-values.ts";
import type { GuardSignal } from "./guard-values.ts";

/** Where an error is shown: a field or a whole list. */
export type FaultPlace = FieldPath<ExperimentValues>;

const TOP: Readonly<Record<string, FaultPlace>> = {
  name: "name",
  hypothesis: "hypothesis",
  description: "description",
  tags: "tags",
  unit: "unit",
  salt: "salt",
  bucket_count: "bucketCount",
  coverage: "coverage",
  rollout: "rolloutStages",
  guard: "guard.isOn",
  flag_key: "flagKey",
  assignment: "flagKey",
  control: "variants",
  visibility: "isServerOnly",
  allocation: "variants",
  variants: "variants",
  qa_users: "variants",
  metrics: "metrics",
  plan: "plan.horizonWeeks",
};

const OF_PLAN = {
  horizon_weeks: "horizonWeeks",
  min_weeks: "minWeeks",
  alpha: "alpha",
  power: "power",
  reason: "reason",
} as const;

const OF_VARIANT = {
  key: "key",
  prompt: "prompt",
  description: "description",
  variables: "variables",
} as const;

const OF_METRIC = {
  name: "name",
  kind: "kind",
  source: "source",
  accept_from: "source",
  quantile: "quantile",
  desired: "desired",
  role: "role",
  margin: "margin",
  target_effect: "targetEffect",
  window_days: "windowDays",
  judge: "rubric",
  description: "description",
  display_name: "displayName",
  unit: "unit",
} as const;

/** Returns the field that shows an error at this JSON Pointer of the body; null when none does. */
export function fieldOfPointer(pointer: string): FaultPlace | null {
  const [, list = "", position = "", field = "", part = ""] = pointer.split("/");
  if (position === "") return TOP[list] ?? null;
  if (list === "plan") return `plan.${pick(OF_PLAN, position) ?? "horizonWeeks"}`;
  if (list === "rollout") return position === "min_minutes" ? "rolloutMinutes" : "rolloutStages";
  if (list === "guard") return `guard.harms.${position as GuardSignal}`;
  const index = Number(position);
  if (list === "allocation") return `variants.${index}.weight`;
  if (list === "variants") return `variants.${index}.${pick(OF_VARIANT, field) ?? "key"}`;
  if (list !== "metrics") return TOP[list] ?? null;
  if (part === "business_metric") return `metrics.${index}.businessMetric`;
  if (part === "sample_rate") return `metrics.${index}.sampleRate`;
  return `metrics.${index}.${pick(OF_METRIC, field) ?? "name"}`;
}

function pick<Fields extends object>(fields: Fields, name: string): Fields[keyof Fields] | null {
  return Object.hasOwn(fields, name) ? fields[name as keyof Fields] : null;
}
