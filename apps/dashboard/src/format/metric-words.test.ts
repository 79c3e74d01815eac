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
      "Share of exposed users with at least one “signup” event other than 0.",
    ],
    [
      { kind: "mean", category: "cost" },
      "The cost of model calls, summed per exposed user (nothing counts as 0), then averaged over the users.",
    ],
    [
      { kind: "ratio", category: "reliability" },
      "Share of model calls that failed; users are the unit, not calls.",
    ],
    [
      { kind: "quantile", category: "latency" },
      "95th percentile of the time to the whole answer of model calls over all model calls; users are the unit, not calls.",
    ],
    [
      { kind: "ordinal", category: "quality" },
      "Chance that a treatment's user has a higher average of the judge's score than control's, ties counted half.",
    ],
    [{ kind: "binary", category: "quality" }, "Share of judged users none of whose judged answers fails."],
    [
      { kind: "ratio", category: "quality" },
      "Share of all answers that the judge would pass, estimated from those it was shown; users are the unit, not answers.",
    ],
    [
      { kind: "ratio", category: "quality", judge: { rubric: "r", scale: "1-5" } },
      "The judge's average score of all answers, estimated from those it was shown; users are the unit, not answers.",
    ],
    [
      { kind: "mean", category: "quality" },
      "Share of a user's judged answers that pass, averaged over the users: each user counts the same.",
    ],
    [
      { kind: "mean", category: "quality", judge: { rubric: "r", scale: "0-1" } },
      "The judge's score, averaged over each user's judged answers, then over the users: each user counts the same.",
    ],
  ])("says what %j computes", (fields, words) => expect(formulaInWords(metric(fields))).toBe(words));

  test.each<[Partial<MetricDefinition>, string]>([
    [{ window_days: 1 }, "only what happens within 1 day of the first exposure"],
    [{ window_days: 14 }, "only what happens within 14 days of the first exposure"],
    [{ cap: "p99.9" }, "a user's value counts as the 99.9 % quantile of all arms at most"],
    [{ cap: 50 }, "a user's value counts as 50 at most"],
    [{ kind: "quantile", quantile: 0.5 }, "50th percentile"],
    [{ kind: "quantile", quantile: 0.51 }, "51st percentile"],
    [{ kind: "quantile", quantile: 0.11 }, "11th percentile"],
    [{ kind: "quantile", quantile: 0.999 }, "99.9th percentile"],
  ])("tells %j", (fields, words) => expect(formulaInWords(metric(fields))).toContain(words));
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
