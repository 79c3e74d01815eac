import type { MetricDefinition } from "../../api/types.ts";
import { STARTER_RUBRICS } from "./judge-rubrics.ts";
import { type MetricRole, type MetricValues, toMetricValues } from "./metric-values.ts";

export interface MetricTemplate {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly needsJudge: boolean;
  /** What it is unless the experiment has a primary metric already. */
  readonly role: MetricRole;
  /** What it is beside another primary metric. */
  readonly roleBeside: MetricRole;
  readonly metric: Pick<
    MetricDefinition,
    "name" | "kind" | "category" | "source" | "quantile" | "desired" | "margin" | "judge"
  >;
}

/** What most people measure, each a valid definition as it stands. */
export const METRIC_TEMPLATES: readonly MetricTemplate[] = [
  {
    key: "cost",
    title: "Cost per user",
    detail: "What the model calls of a user cost together, in dollars.",
    needsJudge: false,
    role: "primary",
    roleBeside: "secondary",
    metric: {
      name: "cost_per_user",
      kind: "mean",
      category: "cost",
      source: { event: "model_call", field: "cost_usd" },
      desired: "decrease",
    },
  },
  {
    key: "latency",
    title: "p95 latency",
    detail: "The time that 95 of 100 model calls stay below.",
    needsJudge: false,
    role: "guardrail",
    roleBeside: "guardrail",
    metric: {
      name: "p95_latency",
      kind: "quantile",
      category: "latency",
      source: { event: "model_call", field: "latency_ms" },
      quantile: 0.95,
      desired: "decrease",
    },
  },
  {
    key: "errors",
    title: "Error rate",
    detail: "The share of model calls that failed.",
    needsJudge: false,
    role: "guardrail",
    roleBeside: "guardrail",
    metric: {
      name: "error_rate",
      kind: "ratio",
      category: "reliability",
      source: { event: "model_call", field: "error" },
      desired: "decrease",
    },
  },
  {
    key: "judge",
    title: "Judge pass rate",
    detail: "The share of answers that a judge lets pass.",
    needsJudge: true,
    role: "primary",
    roleBeside: "guardrail",
    metric: {
      name: "judge_pass_rate",
      kind: "ratio",
      category: "quality",
      source: { event: "judge" },
      desired: "increase",
      margin: 0.02,
      judge: { rubric: STARTER_RUBRICS.pass_fail },
    },
  },
  {
    key: "business",
    title: "Your business event",
    detail: "The share of users for whom your application sent an event: a purchase, a solved ticket.",
    needsJudge: false,
    role: "primary",
    roleBeside: "secondary",
    metric: {
      name: "conversion",
      kind: "binary",
      category: "business",
      source: { event: "business_event", business_metric: "conversion" },
      desired: "increase",
    },
  },
];

/** Makes the metric of a template for a form that has these metrics already. */
export function fromTemplate(
  { metric, role, roleBeside }: MetricTemplate,
  present: readonly MetricValues[],
): MetricValues {
  return added(
    {
      ...metric,
      method_default: "auto",
      metric_version: 1,
      shared_org_wide: false,
      role: hasPrimary(present) ? roleBeside : role,
    },
    present,
  );
}

/** Takes a definition of the org's catalogue over, with its version; whether it decides is said anew. */
export function fromCatalogue(metric: MetricDefinition, present: readonly MetricValues[]): MetricValues {
  return added(metric, present);
}

/** Only one metric is primary, and no two have one name. */
function added(metric: MetricDefinition, present: readonly MetricValues[]): MetricValues {
  const role = metric.role === "primary" && hasPrimary(present) ? "secondary" : (metric.role ?? "secondary");
  return toMetricValues({ ...metric, name: freeName(metric.name, present), role });
}

function freeName(name: string, present: readonly MetricValues[]): string {
  const taken = new Set(present.map((metric) => metric.name));
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    if (!taken.has(`${name}_${number}`)) return `${name}_${number}`;
  }
}

function hasPrimary(present: readonly MetricValues[]): boolean {
  return present.some(({ role }) => role === "primary");
}
