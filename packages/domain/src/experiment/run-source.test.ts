import { expect, test } from "vitest";
import { checkMetric } from "./check-config.ts";
import { createMetric } from "./make-metric.ts";
import { METRIC_KINDS, type MetricDefinition, RUN_FIELDS, type RunField } from "./metric.ts";

const ofRuns = (field: RunField, change: Partial<MetricDefinition>): MetricDefinition => ({
  ...createMetric({
    ...{ name: "m", kind: "mean", category: "reliability", methodDefault: "auto" },
    ...{ metricVersion: 1, sharedOrgWide: false, source: { event: "run", field } },
  }),
  ...change,
});

test.each(RUN_FIELDS)("%s of a run has the kinds that make sense", (field) => {
  const kinds = METRIC_KINDS.filter((kind) => checkMetric(ofRuns(field, { kind }), "/m").length === 0);
  expect(kinds).toEqual(field === "completed" ? ["binary", "ratio"] : ["mean", "ratio", "quantile"]);
});

test("another kind, and a list of senders, are refused with what to do", () => {
  expect(checkMetric(ofRuns("completed", { kind: "mean", acceptFrom: ["secret"] }), "/metrics/0")).toEqual([
    {
      pointer: "/metrics/0/kind",
      detail: '"completed" of a run does not fit kind "mean"; use one of binary, ratio.',
    },
    {
      pointer: "/metrics/0/accept_from",
      detail: "A metric of runs reads all events of a run, whoever sent them: leave accept_from out.",
    },
  ]);
});
