import { expect, test } from "vitest";
import { createMetric } from "./make-metric.ts";
import type { MetricDefinition } from "./metric.ts";

const required = {
  name: "speed",
  kind: "ratio",
  category: "latency",
  methodDefault: "auto",
  metricVersion: 1,
  sharedOrgWide: false,
} as const;

test("a metric with only the required fields has the defaults", () => {
  expect(createMetric(required)).toEqual({
    ...required,
    source: { event: "model_call", field: "latency_ms" },
    quantile: 0.95,
    desired: "decrease",
    role: "secondary",
    margin: null,
    targetEffect: 0.05,
    windowDays: null,
    cap: null,
    method: null,
    judge: null,
    acceptFrom: null,
    description: null,
    displayName: null,
    unit: null,
  });
});

test("the fields that a metric sets are kept", () => {
  const metric: MetricDefinition = {
    ...required,
    source: { event: "business_event", businessMetric: "bought" },
    quantile: 0.5,
    desired: "increase",
    role: "guardrail",
    margin: 0.1,
    targetEffect: 0.2,
    windowDays: 7,
    cap: "p99.9",
    method: "permutation",
    judge: { rubric: "r", scale: "1-5", sampleRate: 0.5 },
    acceptFrom: ["signed"],
    description: "d",
    displayName: "Speed of answers",
    unit: "s",
  };
  expect(createMetric(metric)).toEqual(metric);
});
