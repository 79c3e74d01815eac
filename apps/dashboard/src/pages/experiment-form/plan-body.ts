import { checkForm } from "./check-form.ts";
import { toConfig } from "./form-to-config.ts";
import type { ExperimentValues } from "./form-values.ts";
import { planRequest } from "./plan-words.ts";
import type { PlanBody } from "./queries.ts";

/** A plan is not stored, so it needs no name. */
const UNNAMED = "(unnamed)";

/**
 * Builds the request for the plan of valid values. Null while there is nothing to plan. Leaves out what does not affect
 * a plan, such as texts and prompts, so that typing in them requests no new plan.
 */
export function planBody(values: ExperimentValues): PlanBody | null {
  const named = { ...values, name: values.name.trim() || UNNAMED };
  if (values.metrics.length === 0 || checkForm(named).length > 0) return null;
  const config = toConfig(named, "draft");
  const variants = config.variants?.map(({ key, enabled }) => ({ key, enabled }));
  const untold = { name: UNNAMED, hypothesis: null, description: null, tags: [], qa_users: {} };
  return { experiment: { ...config, ...untold, variants }, plan: planRequest(values) };
}
