import type { WithArrays } from "../../api/client.ts";
import type { ExperimentConfig } from "../../api/types.ts";
import type { ExperimentValues, VariantValues } from "./form-values.ts";
import { toGuard } from "./guard-values.ts";
import { toMetric } from "./metric-values.ts";
import { toPlan } from "./plan-values.ts";
import { toRollout } from "./rollout-values.ts";
import { toVariables } from "./variables.ts";

/** A config as a body to send. */
export type SentConfig = WithArrays<ExperimentConfig>;

/** Converts valid form values to the body of a create request. */
export function toConfig(
  values: ExperimentValues,
  status: NonNullable<ExperimentConfig["status"]>,
): SentConfig {
  const rollout = toRollout(values);
  const control = values.variants.find(({ id }) => id === values.controlId) ?? values.variants[0];
  return {
    name: values.name.trim(),
    hypothesis: values.hypothesis.trim() || null,
    description: values.description.trim() || null,
    tags: toTags(values.tags),
    // A form that was kept by an earlier version of this page has none.
    unit: values.unit ?? "user",
    salt: values.salt,
    bucket_count: values.bucketCount ?? 0,
    // The stage of a rollout decides the coverage.
    ...(rollout === null && { coverage: values.coverage ?? 1 }),
    rollout,
    guard: toGuard(values),
    ...toAssignment(values),
    allocation: values.variants.map(({ key, weight }) => ({ variant: key.trim(), weight: weight ?? 0 })),
    variants: values.variants.map(toVariant),
    qa_users: toQaUsers(values.variants),
    visibility: values.isServerOnly ? "server" : "client",
    control: control?.key.trim() ?? "",
    status,
    metrics: values.metrics.map(toMetric),
    plan: toPlan(values.plan),
  };
}

/** A draft from an earlier version of this page lacks both fields. */
function toAssignment({
  flagKey = "",
  assignment = "assay",
}: Partial<ExperimentValues>): Pick<SentConfig, "assignment" | "flag_key"> {
  const flag = flagKey.trim();
  return flag === "" ? { assignment, flag_key: null } : { assignment: "external", flag_key: flag };
}

/** Reads tags between commas, each once. */
function toTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== "");
}

/** Reads the ids of users, one a line; of variants that have any. */
function toQaUsers(variants: readonly VariantValues[]): NonNullable<SentConfig["qa_users"]> {
  // A form that was kept by an earlier version of this page has none.
  const lists = variants.map(
    ({ key, qaUsers = "" }) =>
      [
        key.trim(),
        [...new Set(qaUsers.split("\n").map((line) => line.trim()))].filter((id) => id !== ""),
      ] as const,
  );
  return Object.fromEntries(lists.filter(([, ids]) => ids.length > 0));
}

/** A prompt is sent unchanged, because spaces may matter. */
function toVariant(variant: VariantValues): NonNullable<SentConfig["variants"]>[number] {
  return {
    key: variant.key.trim(),
    prompt: variant.prompt === "" ? null : variant.prompt,
    variables: toVariables(variant.variables),
    description: variant.description.trim() || null,
    enabled: variant.isEnabled,
  };
}
