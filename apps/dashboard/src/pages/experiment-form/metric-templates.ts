import type { MetricDefinition } from "../../api/types.ts";
import type { Scale } from "../../format/judge-words.ts";
import { type MetricRole, type MetricValues, POOLED_CAP, toMetricValues } from "./metric-values.ts";

/** An example rubric for each scale: what decides, and what must not. */
export const STARTER_RUBRICS: Readonly<Record<Scale, string>> = {
  pass_fail: `Pass when the answer does what the user asked, is correct as far as you can tell, and can be used as it stands.
Fail when it is wrong, makes something up, leaves a part of the question open, or is rude.
Length and style alone do not count: a short answer that is complete passes.`,
  "1-5": `5: correct and complete; nothing to add.
4: correct; a small part is missing or unclear.
3: helps, but the user has to ask again or check it.
2: mostly wrong or off topic.
1: wrong, made up, or no answer.
Length and style alone do not count.`,
  "0-1": `Give the share of what the user asked for that the answer gets right: 1 for all of it, 0.5 for half, 0 for none.
Made-up content counts against it. Length and style alone do not count.`,
};

export interface MetricTemplate {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly needsJudge: boolean;
  /** Its role in an experiment without a primary metric. */
  readonly role: MetricRole;
  /** Its role next to another primary metric. */
  readonly roleBeside: MetricRole;
  readonly metric: Pick<
    MetricDefinition,
    "name" | "kind" | "category" | "source" | "quantile" | "cap" | "desired" | "margin" | "judge"
  >;
}

/** Common metrics; each is a valid definition. */
export const METRIC_TEMPLATES: readonly MetricTemplate[] = [
  {
    key: "cost",
    title: "Cost per user",
    detail: "The total cost of a user's model calls, in dollars.",
    needsJudge: false,
    role: "primary",
    roleBeside: "secondary",
    metric: {
      name: "cost_per_user",
      kind: "mean",
      category: "cost",
      source: { event: "model_call", field: "cost_usd" },
      cap: POOLED_CAP,
      desired: "decrease",
    },
  },
  {
    key: "latency",
    title: "p95 latency",
    detail: "95% of model calls are faster than this.",
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
    detail: "The share of answers that pass a judge's rubric.",
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
    detail: "The share of users with an event from your application, such as a purchase or a solved ticket.",
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
  {
    key: "revenue",
    title: "Revenue per user",
    detail: "The sum of a value that your application sends, such as the price of an order.",
    needsJudge: false,
    role: "primary",
    roleBeside: "secondary",
    metric: {
      name: "revenue_per_user",
      kind: "mean",
      category: "business",
      source: { event: "business_event", business_metric: "revenue" },
      desired: "increase",
      cap: POOLED_CAP,
    },
  },
];

/** Creates a metric from a template, given the metrics already in the form. */
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

/** Adopts a definition of the org's catalogue with its version; its role can change. */
export function fromCatalogue(metric: MetricDefinition, present: readonly MetricValues[]): MetricValues {
  return added(metric, present);
}

/** Ensures a single primary metric and unique names. */
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
