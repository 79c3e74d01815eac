import { describe, expect, test } from "vitest";
import { createMetric, type MetricInput } from "./make-metric.ts";
import type { MetricDefinition } from "./metric.ts";
import { metricHistory, versionMetric } from "./metric-version.ts";

const metric = (change: Partial<MetricInput> = {}): MetricDefinition =>
  createMetric({
    name: "m",
    kind: "mean",
    category: "latency",
    methodDefault: "auto",
    metricVersion: 3,
    sharedOrgWide: false,
    ...change,
  });
const judge = { rubric: "Is it polite?", scale: "pass_fail", sampleRate: 0.1 } as const;
const judged = (change: Partial<MetricInput> = {}) =>
  metric({ kind: "ratio", category: "quality", judge, ...change });
const p95 = (change: Partial<MetricInput> = {}) => metric({ kind: "quantile", ...change });

const bought = { event: "business_event", businessMetric: "bought" } as const;

describe("another meaning", () => {
  test.each<[field: string, before: MetricDefinition, change: Partial<MetricDefinition>, words: string]>([
    ["kind", metric(), { kind: "ratio" }, "kind changed from mean to ratio"],
    [
      "source",
      metric(),
      { source: bought },
      'source changed from model_call latency_ms to business_event "bought"',
    ],
    [
      "source's event",
      metric({ source: bought }),
      { source: { event: "judge" } },
      'source changed from business_event "bought" to judge',
    ],
    ["quantile", p95(), { quantile: 0.5 }, "quantile changed from 0.95 to 0.5"],
    ["cap", metric(), { cap: "p99.9" }, "cap changed from none to p99.9"],
    ["window", metric({ windowDays: 7 }), { windowDays: null }, "window_days changed from 7 to none"],
    [
      "sources",
      metric(),
      { acceptFrom: ["signed", "import"] },
      "accept_from changed from every source to import or signed",
    ],
    [
      "kind and judge",
      judged(),
      { kind: "mean", judge: { ...judge, scale: "1-5" } },
      "kind changed from ratio to mean, the judge's rubric or scale changed",
    ],
  ])(
    "of its %s needs a higher version, and the refusal says what changed",
    (_field, known, change, words) => {
      const sent = { ...known, ...change };
      for (const metricVersion of [1, 3]) {
        const { fault } = versionMetric({ ...sent, metricVersion }, { now: known, known }, "/metrics/2");
        expect(fault).toEqual({
          pointer: "/metrics/2/metric_version",
          detail: `${words}. Send metric_version 4, which starts a new series.`,
        });
      }
      const raised = { ...sent, metricVersion: 4 };
      expect(versionMetric(raised, { now: known, known }, "")).toEqual({ metric: raised, fault: null });
    },
  );
});

test.each<[name: string, before: MetricDefinition, change: Partial<MetricDefinition>]>([
  ["a margin", metric(), { margin: 1 }],
  ["a quantile of another kind", metric(), { quantile: 0.5 }],
  [
    "the order of its sources",
    metric({ acceptFrom: ["signed", "secret"] }),
    { acceptFrom: ["secret", "signed"] },
  ],
  ["a first rubric", judged({ judge: null }), { judge }],
  ["the share of judged calls", judged(), { judge: { ...judge, sampleRate: 1 } }],
])("%s does not change the meaning", (_name, known, change) => {
  const sent = { ...known, ...change };
  expect(versionMetric(sent, { now: known, known }, "")).toEqual({ metric: sent, fault: null });
});

describe("a version", () => {
  test("is taken as sent with a new name", () => {
    expect(versionMetric(metric(), {}, "").fault).toBeNull();
  });

  test("never falls, even if the metric was removed in between", () => {
    for (const now of [metric(), undefined])
      expect(versionMetric(metric({ metricVersion: 2 }), { now, known: metric() }, "")).toMatchObject({
        fault: {
          pointer: "/metric_version",
          detail: "Versions only go up, and this metric has had version 3. Send metric_version 3.",
        },
      });
    expect(versionMetric(metric(), { known: metric() }, "").fault).toBeNull();
  });

  test("that fell before this rule existed stays until the metric changes", () => {
    const known = metric({ metricVersion: 5, kind: "ratio" });
    const now = metric();
    expect(versionMetric({ ...now, margin: 2 }, { now, known }, "").fault).toBeNull();
    const detail = expect.stringContaining("Send metric_version 6");
    expect(versionMetric({ ...now, cap: 5 }, { now, known }, "")).toMatchObject({ fault: { detail } });
  });

  test("of a judged metric rises automatically if only the judge changes, even if it was removed in between", () => {
    const sent = judged({ metricVersion: 1, judge: { ...judge, rubric: "Is it short?" } });
    for (const now of [judged(), undefined])
      expect(versionMetric(sent, { now, known: judged() }, "")).toEqual({
        metric: { ...sent, metricVersion: 4 },
        fault: null,
      });
  });
});

test("the history has the highest version of every past metric, and of equal ones the newest", () => {
  const versions = [
    [metric({ metricVersion: 2, description: "newest" })],
    [metric({ metricVersion: 2 }), metric({ name: "gone", metricVersion: 7 })],
    [metric({ metricVersion: 1 }), metric({ name: "fell", metricVersion: 4 })],
    [metric({ name: "fell", metricVersion: 9 })],
  ].map((metrics) => ({ config: { metrics } as never }));
  const found = [...metricHistory(versions).values()];
  expect(found.map(({ name, metricVersion, description }) => [name, metricVersion, description])).toEqual([
    ["m", 2, "newest"],
    ["gone", 7, null],
    ["fell", 9, null],
  ]);
});
