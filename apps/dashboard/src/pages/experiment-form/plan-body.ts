import { checkForm } from "./check-form.ts";
import { toConfig } from "./form-to-config.ts";
import type { ExperimentValues } from "./form-values.ts";
import { planRequest } from "./plan-words.ts";
import type { PlanBody } from "./queries.ts";

/** A plan is not stored, so it needs no name. */
const UNNAMED = "(unnamed)";

/** Builds the request for the plan of valid values; null while there is nothing to plan. */
export function planBody(values: ExperimentValues): PlanBody | null {
  const named = { ...values, name: values.name.trim() || UNNAMED };
  if (values.metrics.length === 0 || checkForm(named).length > 0) return null;
  return { experiment: toConfig(named, "draft"), plan: planRequest(values) };
}
