import type { HealthEntry, MetricDefinition } from "@assay/domain";
import type { Strata } from "./arm-data.ts";
import type { Comparison } from "./compare-arms.ts";

/** Says that the arms could not be compared. */
export function degenerateEntry({ name }: MetricDefinition, treatment: string): HealthEntry {
  return {
    code: "metric-degenerate",
    severity: "warning",
    detail: `${name} of ${treatment} cannot be compared with control: no users came to both in one allocation period, too few for the test, or values too large for a number.`,
  };
}

/** Says that nobody reports the metric, and where its values should come from. */
export function unreportedEntry({ name, source }: MetricDefinition): HealthEntry {
  const where =
    source.event === "business_event"
      ? `a business_event with business_metric "${source.businessMetric}" and a value other than 0`
      : source.event === "model_call"
        ? `a model_call with ${source.field}`
        : "a judge's score";
  return {
    code: "metric-unreported",
    severity: "warning",
    detail: `${name} has no row: no user has a value of it. It needs ${where}; check the spelling.`,
  };
}

/** Says so when another test ran than the one asked for. */
export function fallbackEntry(
  { name, method, methodDefault }: MetricDefinition,
  { outcome }: Comparison,
): readonly HealthEntry[] {
  const asked = method ?? methodDefault;
  if (asked === "auto" || outcome.test === asked) return [];
  const detail = `${name} asks for ${asked}, which these data do not allow: ${outcome.test} ran instead.`;
  return [{ code: "method-fallback", severity: "warning", detail }];
}

/** Says how many users an allocation change leaves out of a comparison. */
export function leftOutEntry(
  { name }: MetricDefinition,
  treatment: string,
  { leftOutUsers }: Strata,
): readonly HealthEntry[] {
  if (leftOutUsers === 0) return [];
  const detail = `${name} of ${treatment} leaves out ${leftOutUsers} users who came in allocation periods with fewer than 30 users in an arm, or in which one of the two arms was closed.`;
  return [{ code: "period-left-out", severity: "info", detail }];
}
