import { type MetricQuery, POOLED_CAP } from "@assay/domain";
import fc from "fast-check";

export const latency: MetricQuery = {
  name: "latency",
  kind: "ratio",
  source: { event: "model_call", field: "latency_ms" },
  windowDays: null,
  cap: null,
  acceptFrom: null,
};
export const revenue: MetricQuery = {
  name: "revenue",
  kind: "mean",
  source: { event: "business_event", businessMetric: "revenue" },
  windowDays: null,
  cap: null,
  acceptFrom: null,
};
export const bought: MetricQuery = { ...revenue, name: "bought", kind: "binary" };
/** Metrics of every kind, source, window and cap, with duplicates and hostile names. */
export const METRICS: readonly MetricQuery[] = [
  latency,
  { ...latency, name: "errors", source: { event: "model_call", field: "error" } },
  revenue,
  bought,
  { ...revenue, name: "revenue capped in 2 days", windowDays: 2, cap: 5, acceptFrom: null },
  { ...revenue, name: "revenue capped together", cap: POOLED_CAP, acceptFrom: null },
  { ...revenue, name: "revenue capped together in 2 days", cap: POOLED_CAP, acceptFrom: null, windowDays: 2 },
  { ...bought, name: "bought in 2 days", windowDays: 2 },
  { ...latency, name: "cost in 2 days", source: { event: "model_call", field: "cost_usd" }, windowDays: 2 },
  { ...revenue, name: "calls' tokens", source: { event: "model_call", field: "output_tokens" } },
  { ...latency, name: "latency p50", kind: "quantile" },
  { ...latency, name: "latency p90", kind: "quantile" },
  { ...latency, name: "latency p50 in 2 days", kind: "quantile", windowDays: 2 },
  { ...revenue, name: "typical revenue", kind: "ordinal" },
  { ...revenue, name: "typical revenue in 2 days", kind: "ordinal", windowDays: 2 },
  {
    ...revenue,
    name: "'; DROP TABLE events; --",
    source: { event: "business_event", businessMetric: "it's" },
  },
];

/** Some of these metrics in any order. Few, because the parsing time of a query grows with their number. */
export const someMetrics = fc.shuffledSubarray([...METRICS], { minLength: 1, maxLength: 5 });
