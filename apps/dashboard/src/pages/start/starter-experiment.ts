import type { ExperimentConfig } from "../../api/types.ts";

const NAME = "first-experiment";

/** Returns a running starter experiment on two prompts, half the users each, with a primary metric and a guardrail. `taken`: names in use. */
export function starterExperiment(taken: readonly string[]) {
  const name = freeName(taken);
  return {
    name,
    salt: name,
    bucket_count: 1000,
    status: "running",
    hypothesis: "We believe shorter answers will earn more thumbs up because people read them to the end.",
    control: "control",
    variants: [
      { key: "control", prompt: "Answer the question." },
      { key: "concise", prompt: "Answer the question in at most three sentences." },
    ],
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "concise", weight: 1 },
    ],
    metrics: [
      {
        ...METRIC,
        name: "thumbs_up",
        kind: "binary",
        category: "business",
        role: "primary",
        desired: "increase",
        source: { event: "business_event", business_metric: "thumbs_up" },
      },
      {
        ...METRIC,
        name: "latency_p95",
        kind: "quantile",
        quantile: 0.95,
        category: "latency",
        role: "guardrail",
        desired: "decrease",
        source: { event: "model_call", field: "latency_ms" },
      },
      {
        ...METRIC,
        name: "cost_per_user",
        kind: "mean",
        category: "cost",
        role: "secondary",
        desired: "decrease",
        source: { event: "model_call", field: "cost_usd" },
      },
    ],
  } satisfies ExperimentConfig;
}

const METRIC = { method_default: "auto", metric_version: 1, shared_org_wide: false } as const;

function freeName(taken: readonly string[]): string {
  let number = 2;
  let name = NAME;
  while (taken.includes(name)) name = `${NAME}-${number++}`;
  return name;
}
