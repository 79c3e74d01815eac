import { TEST_NAMES } from "@assay/stats";
import type { EventSource } from "../event/sources.ts";
import type { Judge } from "../judge/judge.ts";

export const METRIC_KINDS = ["binary", "mean", "ratio", "quantile", "ordinal"] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

export const METRIC_CATEGORIES = ["latency", "cost", "reliability", "business", "quality"] as const;
export type MetricCategory = (typeof METRIC_CATEGORIES)[number];

/** Numeric fields of a model_call that a metric can read. */
export const MODEL_CALL_FIELDS = [
  "latency_ms",
  "time_to_first_token_ms",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "error",
] as const;
export type ModelCallField = (typeof MODEL_CALL_FIELDS)[number];

/** What a metric can read from an agent's run. */
export const RUN_FIELDS = [
  "turns",
  "steps",
  "tool_calls",
  "tool_errors",
  "duration_ms",
  "cost_usd",
  "completed",
  "handoffs",
] as const;
export type RunField = (typeof RUN_FIELDS)[number];

/** Where a metric's values come from. */
export type MetricSource =
  | { readonly event: "model_call"; readonly field: ModelCallField }
  | { readonly event: "run"; readonly field: RunField }
  | { readonly event: "business_event"; readonly businessMetric: string }
  | { readonly event: "judge" };

/** A test by name, or `auto` for the one that fits the kind and the data. */
export const TEST_METHODS = ["auto", ...TEST_NAMES] as const;
export type TestMethod = (typeof TEST_METHODS)[number];

export type Direction = "increase" | "decrease";
export const METRIC_ROLES = ["primary", "guardrail", "secondary"] as const;
export type MetricRole = (typeof METRIC_ROLES)[number];

/** The cap at the 99.9% quantile over the users of all arms together; other caps are values. */
export const POOLED_CAP = "p99.9";
export type MetricCap = number | typeof POOLED_CAP;

export const DEFAULT_TARGET_EFFECT = 0.05;
export const MAX_TARGET_EFFECT = 10;

export interface MetricDefinition {
  readonly name: string;
  readonly kind: MetricKind;
  readonly category: MetricCategory;
  readonly methodDefault: TestMethod;
  /** Starts at 1; a change of meaning starts a new series. */
  readonly metricVersion: number;
  readonly sharedOrgWide: boolean;
  readonly source: MetricSource;
  /** For kind `quantile` only: the quantile, 0 to 1. */
  readonly quantile: number;
  readonly desired: Direction;
  readonly role: MetricRole;
  /** Largest acceptable loss, in the metric's unit. */
  readonly margin: number | null;
  /** Smallest effect worth finding, relative to control's value; planning and days to go aim for it. */
  readonly targetEffect: number;
  /** Attribution window after the first exposure, in days; null: until the run's cut-off. */
  readonly windowDays: number | null;
  /** Only for kind `mean`. */
  readonly cap: MetricCap | null;
  /** An override of `methodDefault`, audited. */
  readonly method: TestMethod | null;
  /** Only if the source is a judge. Null: there is no rubric, so nothing is judged. */
  readonly judge: Judge | null;
  /** Sources of events that the metric reads; null: all. */
  readonly acceptFrom: readonly EventSource[] | null;
  readonly description: string | null;
  /** Shown to people instead of `name`. */
  readonly displayName: string | null;
  /** Unit of the values, if the source does not imply it: "orders", "€". */
  readonly unit: string | null;
}

const METHODS_OF_KIND: Readonly<Record<MetricKind, readonly TestMethod[]>> = {
  binary: ["auto", "two_proportion_z", "fisher_exact", "permutation", "ppi_z"],
  mean: ["auto", "welch_t", "permutation", "mann_whitney_u", "cluster_bootstrap", "ppi_z"],
  ratio: ["auto", "ratio_delta", "permutation", "cluster_bootstrap", "ppi_z"],
  quantile: ["auto", "cluster_quantile", "cluster_bootstrap"],
  ordinal: ["auto", "mann_whitney_u", "permutation", "welch_t"],
};

/** Lists the tests that fit a metric's kind (contract §5, `method_default`). */
export function methodsOfKind(kind: MetricKind): readonly TestMethod[] {
  return METHODS_OF_KIND[kind];
}

/** Lists the kinds of metric that fit a field of runs: whether a task was completed is a yes or no. */
export function kindsOfRunField(field: RunField): readonly MetricKind[] {
  return field === "completed" ? ["binary", "ratio"] : ["mean", "ratio", "quantile"];
}

/** Returns a category's default source (contract §5). */
export function defaultSource(category: MetricCategory, metricName: string): MetricSource {
  switch (category) {
    case "latency":
      return { event: "model_call", field: "latency_ms" };
    case "cost":
      return { event: "model_call", field: "cost_usd" };
    case "reliability":
      return { event: "model_call", field: "error" };
    case "business":
      return { event: "business_event", businessMetric: metricName };
    case "quality":
      return { event: "judge" };
  }
}

/** Returns the direction that counts as better by default. */
export function defaultDirection(category: MetricCategory): Direction {
  return category === "business" || category === "quality" ? "increase" : "decrease";
}

/** Returns whether a metric measures the cost of calls. */
export function isCost({ category, source }: Pick<MetricDefinition, "category" | "source">): boolean {
  return category === "cost" && source.event === "model_call" && source.field === "cost_usd";
}
