import { describe, expect, test } from "vitest";
import type { MetricDefinition } from "../api/types.ts";
import { desiredOf, formulaInWords, isJudged } from "./metric-words.ts";

const metric = (fields: Partial<MetricDefinition>): MetricDefinition => ({
  name: "m",
  kind: "mean",
  category: "cost",
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
  ...fields,
});

describe("formulaInWords", () => {
  test.each<[Partial<MetricDefinition>, string]>([
    [
      { kind: "binary", category: "business", name: "signup" },
      "Share of exposed users with at least one nonzero “signup” event.",
    ],
    [
      { kind: "mean", category: "cost" },
      "The cost of model calls, summed per exposed user (0 without any), then averaged over users.",
    ],
    [
      { kind: "ratio", category: "reliability" },
      "Share of model calls that failed; the unit of analysis is the user.",
    ],
    [
      { kind: "quantile", category: "latency" },
      "95th percentile of the time to the full answer of model calls over all model calls; the unit of analysis is the user.",
    ],
    [
      { kind: "ordinal", category: "quality" },
      "Chance that a user in the treatment has a higher average judge score than a user in control; ties count half.",
    ],
    [{ kind: "binary", category: "quality" }, "Share of judged users whose judged answers all pass."],
    [
      { kind: "binary", source: { event: "run", field: "completed" } },
      "Share of exposed users with at least one run that did its task; only runs that have ended count.",
    ],
    [
      { kind: "ratio", source: { event: "run", field: "completed" } },
      "Share of runs that did their task; the unit of analysis is the user; only runs that have ended count.",
    ],
    [
      { kind: "ratio", source: { event: "run", field: "cost_usd" } },
      "The cost of runs divided by the number of runs that did their task; the unit of analysis is the user; only runs that have ended count.",
    ],
    [
      { kind: "mean", source: { event: "run", field: "turns" } },
      "The model calls of runs, summed per exposed user (0 without any), then averaged over users; only runs that have ended count.",
    ],
    [
      { kind: "quantile", source: { event: "run", field: "duration_ms" } },
      "95th percentile of the duration of runs over all runs; the unit of analysis is the user; only runs that have ended count.",
    ],
    [
      { kind: "ratio", category: "quality" },
      "Share of all answers that the judge would pass, estimated from the judged sample; the unit of analysis is the user.",
    ],
    [
      { kind: "ratio", category: "quality", judge: { rubric: "r", scale: "1-5" } },
      "The judge's average score over all answers, estimated from the judged sample; the unit of analysis is the user.",
    ],
    [
      { kind: "mean", category: "quality" },
      "Share of a user's judged answers that pass, averaged over users; each user counts the same.",
    ],
    [
      { kind: "mean", category: "quality", judge: { rubric: "r", scale: "0-1" } },
      "The judge's score, averaged over each user's judged answers, then over users; each user counts the same.",
    ],
  ])("says what %j computes", (fields, words) => expect(formulaInWords(metric(fields))).toBe(words));

  test.each<[Partial<MetricDefinition>, string]>([
    [
      { kind: "binary", category: "business", name: "signup" },
      "Share of exposed conversations with at least one nonzero “signup” event.",
    ],
    [
      { kind: "mean", category: "cost", cap: 5 },
      "The cost of model calls, summed per exposed conversation (0 without any), then averaged over conversations; a conversation's value is capped at 5.",
    ],
    [
      { kind: "ratio", category: "reliability" },
      "Share of model calls that failed; the unit of analysis is the conversation, clustered by user.",
    ],
    [
      { kind: "quantile", category: "latency" },
      "95th percentile of the time to the full answer of model calls over all model calls; the unit of analysis is the conversation, clustered by user.",
    ],
    [
      { kind: "ordinal", category: "cost" },
      "Chance that a conversation in the treatment has a higher average of the cost of model calls than a conversation in control; ties count half.",
    ],
    [{ kind: "binary", category: "quality" }, "Share of judged conversations whose judgements all pass."],
    [
      { kind: "mean", category: "quality" },
      "Share of a conversation's judgements that pass, averaged over conversations; each conversation counts the same.",
    ],
    [
      { kind: "ratio", category: "quality" },
      "Share of all conversations that the judge would pass, estimated from the judged sample; the unit of analysis is the conversation, clustered by user.",
    ],
    [
      { kind: "ordinal", category: "quality", cap: "p99.9" },
      "Chance that a conversation in the treatment has a higher average judge score than a conversation in control; ties count half; a conversation's value is capped at the 99.9th percentile of all arms.",
    ],
  ])("says what %j computes in an experiment on conversations", (fields, words) =>
    expect(formulaInWords(metric(fields), "conversation")).toBe(words),
  );

  test.each<[Partial<MetricDefinition>, string]>([
    [{ window_days: 1 }, "counts only the first 1 day after the first exposure"],
    [{ window_days: 14 }, "counts only the first 14 days after the first exposure"],
    [{ cap: "p99.9" }, "a user's value is capped at the 99.9th percentile of all arms"],
    [{ cap: 50 }, "a user's value is capped at 50"],
    [{ accept_from: ["signed"] }, "; counts only events from signed webhooks."],
    [
      { cap: 50, accept_from: ["signed", "secret", "import"] },
      "capped at 50; counts only events from signed webhooks, secret keys and imports.",
    ],
    [{ kind: "quantile", quantile: 0.5 }, "50th percentile"],
    [{ kind: "quantile", quantile: 0.51 }, "51st percentile"],
    [{ kind: "quantile", quantile: 0.11 }, "11th percentile"],
    [{ kind: "quantile", quantile: 0.999 }, "99.9th percentile"],
  ])("says %j", (fields, words) => expect(formulaInWords(metric(fields))).toContain(words));
});

test.each([
  [metric({ category: "latency" }), "decrease"],
  [metric({ category: "business" }), "increase"],
  [metric({ category: "business", desired: "decrease" }), "decrease"],
] as const)("the direction of %j is %s", (definition, desired) =>
  expect(desiredOf(definition)).toBe(desired),
);

test.each([
  [metric({ category: "quality" }), true],
  [metric({ category: "business", source: { event: "judge" } }), true],
  [metric({ category: "quality", source: { event: "business_event", business_metric: "x" } }), false],
] as const)("knows whether %j is judged: %s", (definition, judged) =>
  expect(isJudged(definition)).toBe(judged),
);
