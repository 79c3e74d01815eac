import { expect, test } from "vitest";
import { checkConfig, checkMetric } from "./check-config.ts";
import { createMetric } from "./make-metric.ts";
import { METRIC_KINDS, type MetricDefinition, RUN_FIELDS, type RunField } from "./metric.ts";
import { firstVersion } from "./next-version.ts";

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

test("another kind is refused with what to do", () => {
  expect(checkMetric(ofRuns("completed", { kind: "mean", acceptFrom: ["secret"] }), "/metrics/0")).toEqual([
    {
      pointer: "/metrics/0/kind",
      detail: '"completed" of a run does not fit kind "mean"; use one of binary, ratio.',
    },
  ]);
});

test("metrics of runs accept the same senders, in whatever order they are listed", () => {
  const faultsOf = (...senders: readonly MetricDefinition["acceptFrom"][]) => {
    const metrics = [
      ofRuns("turns", { kind: "mean", name: "turns", acceptFrom: ["secret", "otlp"] }),
      ...senders.map((acceptFrom, i) => ofRuns("steps", { kind: "mean", name: `steps ${i}`, acceptFrom })),
      createMetric({ ...ofRuns("turns", {}), name: "spent", kind: "mean", source: undefined }),
    ];
    const allocation = [{ variant: "control", weight: 1 }];
    const { config } = firstVersion({ name: "e", salt: "s", bucketCount: 10, allocation, metrics: [] });
    return checkConfig({ ...config, metrics });
  };
  expect(faultsOf(["otlp", "secret"])).toEqual([]);
  const detail = 'All metrics of runs accept the same events: send the accept_from of "turns".';
  expect(faultsOf(["secret", "otlp"], null, ["secret"])).toEqual([
    { pointer: "/metrics/2/accept_from", detail },
    { pointer: "/metrics/3/accept_from", detail },
  ]);
});
