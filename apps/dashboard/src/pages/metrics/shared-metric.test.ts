import { expect, test } from "vitest";
import type { MetricDefinition } from "../../api/types.ts";
import { checkMetricForm, editedMetric, metricFormOf, reachInWords } from "./shared-metric.ts";

const definition: MetricDefinition = {
  name: "spent",
  kind: "mean",
  category: "business",
  method_default: "auto",
  metric_version: 2,
  shared_org_wide: true,
};
const user = (name: string, status: "draft" | "running" | "stopped", follows = true) => ({
  id: name,
  name,
  status,
  unit: "user" as const,
  metric_version: 2,
  follows,
});
const entry = {
  definition,
  used_by: [
    user("tone", "running"),
    user("length", "draft"),
    user("old", "stopped"),
    user("apart", "running", false),
  ],
};
const edit = (change: object) => {
  const form = metricFormOf(definition);
  return { ...form, metrics: form.metrics.map((metric) => ({ ...metric, ...change })) };
};

test("without a change there is nothing to save", () => {
  expect(editedMetric(definition, edit({}))).toBeNull();
});

test.each<[string, object, number]>([
  ["another margin keeps the version", { margin: 1 }, 2],
  ["another kind gets the next", { kind: "binary" }, 3],
  ["another origin gets the next", { acceptFrom: ["signed"] }, 3],
])("%s", (_, change, version) => {
  expect(editedMetric(definition, edit(change))).toMatchObject({ name: "spent", metric_version: version });
});

test("only the metric is checked", () => {
  expect(checkMetricForm(edit({}))).toEqual([]);
  expect(checkMetricForm(edit({ margin: -1 }))).toMatchObject([{ pointer: "/metrics/0/margin" }]);
});

test("says which experiments a change reaches, and that another meaning starts a new series", () => {
  const reach = expect.stringMatching(/^2.experiments will get a new version: tone, length\.$/);
  expect(reachInWords(entry, definition)).toEqual([reach]);
  expect(reachInWords(entry, { ...definition, metric_version: 3 })).toEqual([
    expect.stringMatching(/version 2 → 3, set for you/),
    reach,
  ]);
  expect(reachInWords({ ...entry, used_by: [] }, definition)).toEqual([
    "No draft or running experiment uses the metric.",
  ]);
});
