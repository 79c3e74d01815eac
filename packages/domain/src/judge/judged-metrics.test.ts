import { expect, test } from "vitest";
import { createConfig } from "../experiment/make-config.ts";
import { createMetric } from "../experiment/make-metric.ts";
import type { Judge } from "./judge.ts";
import { hasRubricMetric, judgedMetrics, rubricMetrics, seriesOf } from "./judged-metrics.ts";

const judge: Judge = { rubric: "Is it right?", scale: "pass_fail", sampleRate: 0.1 };
const metric = (name: string, isJudged: boolean, of: Judge | null = null) =>
  createMetric({
    name,
    kind: isJudged ? "ratio" : "binary",
    category: isJudged ? "quality" : "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
    judge: of,
  });
const experiment = {
  config: createConfig({
    name: "e",
    salt: "s",
    bucketCount: 1000,
    allocation: [{ variant: "control", weight: 1 }],
    metrics: [metric("bought", false), metric("right", true, judge), metric("later", true)],
  }),
};

test("metrics whose source is a judge are judged metrics; those with a rubric can be scored", () => {
  expect(judgedMetrics(experiment).map(({ name }) => name)).toEqual(["right", "later"]);
  expect(rubricMetrics(experiment).map(({ name }) => name)).toEqual(["right"]);
  expect(hasRubricMetric(experiment)).toBe(true);
  const metrics = judgedMetrics(experiment).filter(({ judge }) => judge === null);
  expect(hasRubricMetric({ config: { ...experiment.config, metrics } })).toBe(false);
});

test("a metric's scores are those of its version in its experiment", () => {
  expect(seriesOf({ orgId: "o", id: "e" }, { name: "right", metricVersion: 2 })).toEqual({
    orgId: "o",
    experimentId: "e",
    metric: "right",
    metricVersion: 2,
  });
});
