import {
  createMetric,
  type MetricInput,
  type MetricResult,
  type RehearsalMetric,
  type RehearsedRow,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { ledgerPairs, onlineMetric } from "./online-metric.ts";

const metricOf = (name: string, own: Partial<MetricInput>) =>
  createMetric({
    ...{ name, kind: "ratio", category: "cost", methodDefault: "auto", metricVersion: 1 },
    ...{ sharedOrgWide: false, ...own },
  });
const judgeOf = (scale: "pass_fail" | "1-5" | "0-1") => ({ rubric: "Right?", scale, sampleRate: 1 });
const planOf = (scale: "pass_fail" | "1-5" = "1-5") => ({
  judge: { rubric: "Right?", mode: "pairwise" as const, scale },
});

const metrics = [
  metricOf("unjudged", { category: "quality" }),
  metricOf("stars", { category: "quality", judge: judgeOf("1-5") }),
  metricOf("passed", { category: "quality", kind: "binary", judge: judgeOf("pass_fail") }),
  metricOf("cost per user", { kind: "mean" }),
  metricOf("cost", {}),
  metricOf("slowest", { category: "latency", kind: "quantile" }),
  metricOf("time", { category: "latency", kind: "mean" }),
  metricOf("any error", { category: "reliability", kind: "binary" }),
];

describe("the metric that measures the same online", () => {
  test.each<[RehearsalMetric, string | null]>([
    ["preference", "passed"],
    ["score", "stars"],
    ["cost_usd", "cost"],
    ["latency_ms", "time"],
    ["output_tokens", null],
    ["error", null],
    ["length", null],
  ])("of %s is %s", (metric, name) => {
    expect(onlineMetric(metric, planOf(), metrics)?.name ?? null).toBe(name);
  });

  test("of errors is their share of calls, and a score needs the same scale", () => {
    const errors = metricOf("errors", { category: "reliability" });
    expect(onlineMetric("error", planOf(), [...metrics, errors])).toBe(errors);
    expect(onlineMetric("score", planOf("pass_fail"), metrics.slice(0, 2))).toBeNull();
    expect(onlineMetric("preference", planOf(), metrics.slice(0, 2))).toBeNull();
  });
});

describe("pairs of the ledger", () => {
  const rowOf = (metric: RehearsalMetric, own: Partial<RehearsedRow> = {}): RehearsedRow => ({
    ...{ metric, treatment: "new", controlValue: 2, effect: 0.5, ciLow: 0.4, ciHigh: 0.6, ...own },
  });
  const resultOf = (metric: string, own: Partial<MetricResult> = {}) =>
    ({
      ...{ metric, treatment: "new", effect: 0.2, ciLow: 0.1, ciHigh: 0.3 },
      ...{ relativeEffect: 0.02, relativeCiLow: 0.01, relativeCiHigh: 0.03, ...own },
    }) as MetricResult;
  const pairsOf = (rows: readonly RehearsedRow[], results: readonly MetricResult[]) =>
    ledgerPairs({ plan: planOf(), rows, metrics, results });

  test("have the unit of the forecast", () => {
    const rows = [rowOf("score"), rowOf("cost_usd"), rowOf("length")];
    expect(pairsOf(rows, [resultOf("stars"), resultOf("cost"), resultOf("length")])).toEqual([
      {
        ...{ metric: "score", treatment: "new", onlineMetric: "stars" },
        ...{ rehearsed: 0.5, found: 0.2, foundLow: 0.1, foundHigh: 0.3 },
      },
      {
        ...{ metric: "cost_usd", treatment: "new", onlineMetric: "cost" },
        ...{ rehearsed: 0.25, found: 0.02, foundLow: 0.01, foundHigh: 0.03 },
      },
    ]);
  });

  test.each<[string, Partial<RehearsedRow>, Partial<MetricResult>]>([
    ["another treatment", {}, { treatment: "other" }],
    ["no interval in the rehearsal", { ciLow: null }, {}],
    ["no interval in the experiment", {}, { relativeCiLow: null }],
    ["no upper end in the experiment", {}, { relativeCiHigh: null }],
    ["no relative effect", {}, { relativeEffect: null }],
    ["a control of 0", { controlValue: 0 }, {}],
  ])("need all of it: %s", (_, row, result) => {
    expect(pairsOf([rowOf("cost_usd", row)], [resultOf("cost", result)])).toEqual([]);
  });
});
