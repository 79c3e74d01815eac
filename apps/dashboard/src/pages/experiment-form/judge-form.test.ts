import { describe, expect, test } from "vitest";
import type { MetricDefinition } from "../../api/types.ts";
import type { Unit } from "../../format/unit-words.ts";
import { checkForm } from "./check-form.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import { emptyValues } from "./form-values.ts";
import { sampleWords } from "./judge-sample.ts";
import { capsOf, kindsOf, marginHint } from "./metric-options.ts";
import { fromTemplate, METRIC_TEMPLATES, STARTER_RUBRICS } from "./metric-templates.ts";
import {
  hasOtherMeaning,
  type MetricValues,
  toMetric,
  toMetricValues,
  withScale,
  withSource,
} from "./metric-values.ts";

const judged = (change: Partial<MetricDefinition> = {}): MetricDefinition => ({
  name: "judge_pass_rate",
  kind: "ratio",
  category: "quality",
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
  source: { event: "judge" },
  judge: { rubric: "Pass when it helps.", scale: "pass_fail", sample_rate: 0.2 },
  ...change,
});
const values = (change: Partial<MetricValues> = {}): MetricValues => ({
  ...toMetricValues(judged()),
  ...change,
});
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("a judge is shown and sent back as it was stored, with what it leaves out filled in", () => {
  expect(toMetric(values()).judge).toEqual(judged().judge);
  expect(toMetric(toMetricValues(judged({ judge: { rubric: " r " } }))).judge).toEqual({
    rubric: "r",
    scale: "pass_fail",
    sample_rate: 0.1,
  });
  expect(toMetric(toMetricValues(judged({ judge: null }))).judge).toBeNull();
  expect(toMetric(withSource(values(), "cost_usd")).judge).toBeNull();
});

describe("the template of a judge", () => {
  const template = METRIC_TEMPLATES.find(({ key }) => key === "judge");
  if (template === undefined) throw new Error("The template is gone.");

  test("is valid as it stands, with a rubric and an acceptable loss", () => {
    const metric = fromTemplate(template, []);
    expect(metric).toMatchObject({ role: "primary", margin: 0.02, rubric: STARTER_RUBRICS.pass_fail });
    expect(checkForm({ ...emptyValues("s"), name: "n", metrics: [metric] })).toEqual([]);
  });

  test("guards beside another primary metric", () => {
    expect(fromTemplate(template, [values({ role: "primary" })]).role).toBe("guardrail");
  });
});

test.each<[Partial<MetricValues>, readonly string[]]>([
  [{ source: "judge", scale: "pass_fail" }, ["ratio", "mean", "binary", "ordinal"]],
  [{ source: "judge", scale: "1-5" }, ["ratio", "mean", "ordinal"]],
  [{ source: "latency_ms" }, ["binary", "mean", "ratio", "quantile", "ordinal"]],
  [{ source: "run:turns" }, ["ratio", "mean", "quantile"]],
  [{ source: "run:cost_usd" }, ["ratio", "mean", "quantile"]],
  [{ source: "run:completed" }, ["ratio", "binary"]],
])("of %j can be counted: %j", (change, kinds) => {
  expect(kindsOf(values(change)).map(({ value }) => value)).toEqual(kinds);
});

test("the kinds name the unit that they count", () => {
  const labels = (change: Partial<MetricValues>, unit?: Unit) =>
    kindsOf(values(change), unit).map(({ label }) => label);
  expect(labels({ source: "cost_usd" })).toContain("Total per user");
  expect(labels({ source: "cost_usd" }, "conversation")).toEqual([
    "Share of conversations",
    "Total per conversation",
    "Average per call",
    "Quantile over calls",
    "Ranked score per conversation",
  ]);
  expect(labels({ source: "judge", scale: "1-5" }, "run")).toEqual([
    "Average per judgement",
    "Average per run",
    "Ranked score per run",
  ]);
  expect(labels({ source: "run:cost_usd" }, "conversation")).toEqual([
    "Cost per task done",
    "Total per conversation",
    "Quantile over runs",
  ]);
  expect(capsOf(values({}), "run").map(({ detail }) => detail)).toEqual([
    "of all arms together; a few extreme runs weigh less",
    "a few extreme runs may decide the result",
  ]);
});

test("a metric of runs is stored as it was read, and takes only the kinds of its field", () => {
  const source = { event: "run", field: "tool_calls" } as const;
  const read = values({ source: "run:tool_calls", kind: "mean" });
  expect(toMetric(read).source).toEqual(source);
  expect(toMetricValues({ ...toMetric(read), source }).source).toBe("run:tool_calls");
  expect(withSource(read, "run:completed")).toMatchObject({ kind: "ratio", desired: "increase" });
  expect(withSource(read, "run:cost_usd")).toMatchObject({ kind: "mean", kept: { cap: "p99.9" } });
});

test("what a judge does not allow becomes an average per answer", () => {
  expect(withScale(values({ kind: "binary" }), "1-5")).toMatchObject({ kind: "ratio", scale: "1-5" });
  expect(withScale(values({ kind: "mean" }), "1-5").kind).toBe("mean");
  expect(withSource(values({ source: "latency_ms", kind: "quantile" }), "judge").kind).toBe("ratio");
});

test.each<[string, Partial<MetricValues>, string | null]>([
  ["nothing in a whole judge", {}, null],
  ["a missing rubric", { rubric: " \n" }, "/metrics/0/judge/rubric"],
  ["a rubric that is too long", { rubric: "r".repeat(10_001) }, "/metrics/0/judge/rubric"],
  ["no share", { sampleRate: null }, "/metrics/0/judge/sample_rate"],
  ["a share of nothing", { sampleRate: 0 }, "/metrics/0/judge/sample_rate"],
  ["nothing where no judge scores", { source: "cost_usd", rubric: "", sampleRate: null }, null],
])("checkForm finds %s", (_, change, pointer) => {
  const faults = checkForm({ ...emptyValues("s"), name: "n", metrics: [values(change)] });
  expect(faults.map((fault) => fault.pointer)).toEqual(pointer === null ? [] : [pointer]);
});

test.each([
  ["/metrics/0/judge/rubric", "metrics.0.rubric"],
  ["/metrics/0/judge/sample_rate", "metrics.0.sampleRate"],
  ["/metrics/0/judge", "metrics.0.rubric"],
])("fieldOfPointer finds where %s shows", (pointer, field) => {
  expect(fieldOfPointer(pointer)).toBe(field);
});

test.each<[string, MetricDefinition["judge"], boolean]>([
  ["another rubric", { rubric: "Other.", scale: "pass_fail", sample_rate: 0.2 }, true],
  ["another scale", { rubric: "Pass when it helps.", scale: "0-1", sample_rate: 0.2 }, true],
  ["another share", { rubric: "Pass when it helps.", scale: "pass_fail", sample_rate: 0.5 }, false],
  ["the usual scale left out", { rubric: "Pass when it helps." }, false],
])("with %s it measures something else: %s", (_, judge, isOther) => {
  expect(hasOtherMeaning(judged(), judged({ judge }))).toBe(isOther);
});

describe("sampleWords", () => {
  const facts = { sampleRate: 0.1, usersPerDay: null, arms: 2, evaluations: undefined, now: 0 };
  const evaluations = { used: 7_000, allowance: 10_000, today: 0, per_minute: 0 };

  test("takes an example where nobody knows how many calls there are", () => {
    expect(plain(sampleWords(facts))).toBe(
      "With 1,000 calls per day, 10% is 100 judged answers, 50 per variant. A first result needs 200 per variant: about 4 days.",
    );
  });

  test("speaks of the users that are known, alike for every variant", () => {
    expect(plain(sampleWords({ ...facts, usersPerDay: 905, arms: 3 }))).toMatch(
      /^With 905 users per day and one call each, 10% is 93 judged answers, 31 per variant\. .* about 7 days\.$/,
    );
  });

  test.each<[string, number, string, RegExp]>([
    ["more than enough", 900, "2026-11-21T12:00:00Z", /leaves 300 evaluations per day .* judged metrics\.$/],
    ["too little", 9_000, "2026-11-30T23:59:00Z", /leaves 3,000 evaluations per day .* judged metrics\.$/],
    [
      "less than is drawn",
      90_000,
      "2026-11-01T00:00:00Z",
      /leaves 100 evaluations per day .*, so fewer answers are drawn\.$/,
    ],
  ])("sets it against an allowance that leaves %s", (_, usersPerDay, now, words) => {
    expect(plain(sampleWords({ ...facts, usersPerDay, evaluations, now: Date.parse(now) }))).toMatch(words);
  });

  test("says nothing of an allowance without a bound", () => {
    const unbounded = { ...evaluations, allowance: null };
    expect(sampleWords({ ...facts, evaluations: unbounded })).not.toContain("plan");
  });
});

test.each<[string, Partial<MetricValues>, RegExp]>([
  ["of a pass rate", { margin: 0.02 }, /once judge_pass_rate can have fallen by less than 2 points\.$/],
  ["of grades", { margin: 0.3, scale: "1-5" }, /fallen by less than 0\.3\.$/],
  [
    "of what should decrease",
    { source: "latency_ms", desired: "decrease", margin: 100, name: "" },
    /once it can have risen by less than 100 ms\.$/,
  ],
  ["that is missing", { margin: null }, /^In percentage points\. Without it, no treatment/],
  ["that is missing, on a scale", { margin: null, scale: "1-5" }, /^On the scale 1 to 5\. Without it/],
])("marginHint explains a loss %s", (_, change, words) => {
  expect(plain(marginHint(values(change)))).toMatch(words);
});
