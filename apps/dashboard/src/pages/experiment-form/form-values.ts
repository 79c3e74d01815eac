import type { Experiment, MetricDefinition } from "../../api/types.ts";
import { type GuardValues, guardValues } from "./guard-values.ts";
import { type MetricValues, toMetricValues } from "./metric-values.ts";
import { type PlanValues, planValues } from "./plan-values.ts";
import { type RolloutValues, rolloutValues } from "./rollout-values.ts";
import { fromVariables, type VariablesValues } from "./variables.ts";
import { equalWeights } from "./weights.ts";

/** A variant as the form holds it. */
export interface VariantValues {
  /** A stable id within the form, because the key can be edited. */
  id: string;
  key: string;
  prompt: string;
  description: string;
  isEnabled: boolean;
  /** Relative; the form shows the resulting share. */
  weight: number | null;
  variables: VariablesValues;
  /** Ids, one a line. */
  qaUsers: string;
}

/** The values of the experiment form as typed, valid or not. */
export interface ExperimentValues extends RolloutValues {
  /** The version that this changes; null for a new experiment. */
  baseVersion: number | null;
  /** The change also starts a draft or resumes a stopped experiment. */
  isToRun: boolean;
  name: string;
  hypothesis: string;
  description: string;
  /** Separated by commas. */
  tags: string;
  /** Only clients with the secret key get prompts and variables. */
  isServerOnly: boolean;
  variants: VariantValues[];
  controlId: string;
  /** A share, 0 to 1. */
  coverage: number | null;
  guard: GuardValues;
  unit: Unit;
  salt: string;
  bucketCount: number | null;
  /** The flag of another system that assigns the variants; empty: none. */
  flagKey: string;
  /** Who assigns without a flag key. */
  assignment: "assay" | "external";
  metrics: MetricValues[];
  plan: PlanValues;
  /** Entered by hand, only for planning. */
  usersPerDay: number | null;
}

/** What gets a variant. */
export type Unit = NonNullable<Experiment["unit"]>;

const DEFAULT_BUCKETS = 1000;

/** Returns the form values of a new experiment: control and one treatment, half each. */
export function emptyValues(salt: string): ExperimentValues {
  const [control, treatment] = [newVariant("control", 50), newVariant("treatment", 50)];
  return {
    baseVersion: null,
    isToRun: false,
    name: "",
    hypothesis: "",
    description: "",
    tags: "",
    isServerOnly: false,
    variants: [control, treatment],
    controlId: control.id,
    coverage: 1,
    ...rolloutValues(null),
    guard: guardValues(),
    unit: "user",
    salt,
    bucketCount: DEFAULT_BUCKETS,
    flagKey: "",
    assignment: "assay",
    metrics: [],
    plan: planValues(),
    usersPerDay: null,
  };
}

/** Returns the form values of a stored experiment. */
export function valuesOf(experiment: Experiment): ExperimentValues {
  const variants = variantsOf(experiment);
  const control = variants.find(({ key }) => key === experiment.control);
  return {
    baseVersion: experiment.version,
    isToRun: false,
    name: experiment.name,
    hypothesis: experiment.hypothesis ?? "",
    description: experiment.description ?? "",
    tags: (experiment.tags ?? []).join(", "),
    isServerOnly: experiment.visibility === "server",
    variants,
    controlId: control?.id ?? "",
    coverage: experiment.coverage ?? 1,
    ...rolloutValues(experiment.rollout),
    guard: guardValues(experiment.guard ?? null),
    unit: experiment.unit ?? "user",
    salt: experiment.salt,
    bucketCount: experiment.bucket_count,
    flagKey: experiment.flag_key ?? "",
    assignment: experiment.flag_key ? "assay" : (experiment.assignment ?? "assay"),
    metrics: experiment.metrics.map((metric: MetricDefinition) => toMetricValues(metric)),
    plan: planValues(experiment.plan),
    usersPerDay: null,
  };
}

function variantsOf({ variants, allocation, qa_users = {} }: Experiment): VariantValues[] {
  const weights = new Map(allocation.map(({ variant, weight }) => [variant, weight]));
  const listed: NonNullable<Experiment["variants"]> =
    variants ?? allocation.map(({ variant }) => ({ key: variant }));
  return listed.map((variant) => ({
    ...newVariant(variant.key, weights.get(variant.key) ?? 0),
    prompt: variant.prompt ?? "",
    description: variant.description ?? "",
    isEnabled: variant.enabled ?? true,
    variables: fromVariables(variant.variables ?? null),
    qaUsers: (qa_users[variant.key] ?? []).join("\n"),
  }));
}

/** Creates a variant without content. */
export function newVariant(key: string, weight: number): VariantValues {
  return {
    id: crypto.randomUUID(),
    key,
    prompt: "",
    description: "",
    isEnabled: true,
    weight,
    variables: fromVariables(null),
    qaUsers: "",
  };
}

/** Returns an unused key such as "treatment-2". */
export function freeKey(taken: readonly string[]): string {
  for (let number = taken.length; ; number++) {
    const key = `treatment-${number}`;
    if (!taken.includes(key)) return key;
  }
}

/** Adds a variant. Equal weights stay equal; otherwise it gets weight 0. */
export function withVariant(variants: readonly VariantValues[]): VariantValues[] {
  const key = freeKey(variants.map((variant) => variant.key));
  return reweighed([...variants, newVariant(key, 0)], areEqual(variants));
}

/** Removes a variant; equal weights stay equal. */
export function withoutVariant(variants: readonly VariantValues[], id: string): VariantValues[] {
  return reweighed(
    variants.filter((variant) => variant.id !== id),
    areEqual(variants),
  );
}

function reweighed(variants: VariantValues[], isEqual: boolean): VariantValues[] {
  const weights = equalWeights(variants.length);
  return isEqual ? variants.map((variant, index) => ({ ...variant, weight: weights[index] ?? 0 })) : variants;
}

const TOLERANCE = 0.05;
function areEqual(variants: readonly VariantValues[]): boolean {
  const weights = variants.map(({ weight }) => weight ?? 0);
  return Math.max(...weights) - Math.min(...weights) < TOLERANCE;
}
