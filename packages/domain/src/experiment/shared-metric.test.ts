import { describe, expect, test } from "vitest";
import { faultsOf } from "../test-support/faults.ts";
import type { ConfigInput } from "./make-config.ts";
import { createMetric, type MetricInput } from "./make-metric.ts";
import type { MetricDefinition } from "./metric.ts";
import { metricHistory } from "./metric-version.ts";
import { firstVersion, nextVersion } from "./next-version.ts";
import { adoptShared, followsShared, nextShared, takeShared } from "./shared-metric.ts";

const judge = { rubric: "Is it polite?", scale: "pass_fail", sampleRate: 0.1 } as const;
const metric = (change: Partial<MetricInput> = {}): MetricDefinition =>
  createMetric({
    name: "m",
    kind: "mean",
    category: "latency",
    methodDefault: "auto",
    metricVersion: 3,
    sharedOrgWide: true,
    ...change,
  });
const tone = (change: Partial<MetricInput> = {}) =>
  metric({ name: "tone", kind: "ratio", category: "quality", judge, ...change });
const sharing = (...metrics: readonly MetricDefinition[]) =>
  new Map(metrics.map((one) => [one.name, one] as const));

const inputOf = (metrics: readonly MetricDefinition[]): ConfigInput => ({
  name: "checkout",
  salt: "s",
  bucketCount: 100,
  allocation: [
    { variant: "a", weight: 1 },
    { variant: "b", weight: 1 },
  ],
  metrics,
});
const experimentOf = (...metrics: readonly MetricDefinition[]) => ({
  ...firstVersion(inputOf(metrics)),
  ...{ id: "x", orgId: "o", version: 1, servedAt: null, createdAt: 0, updatedAt: 0, isDemo: false },
});

describe("an experiment's shared metric", () => {
  test.each<[field: string, change: Partial<MetricInput>]>([
    ["kind", { kind: "ratio", metricVersion: 4 }],
    ["category", { category: "cost", source: metric().source }],
    ["method_default", { methodDefault: "welch_t" }],
    ["source", { source: { event: "model_call", field: "cost_usd" } }],
    ["desired", { desired: "increase" }],
    ["margin", { margin: 5 }],
    ["window_days", { windowDays: 7 }],
    ["cap", { cap: 5 }],
    ["accept_from", { acceptFrom: ["signed"] }],
    ["description", { description: "d" }],
    ["metric_version", { metricVersion: 4 }],
  ])("is refused with another %s, and the error says where to change it", (field, change) => {
    const work = () => firstVersion(inputOf([metric(change)]), sharing(metric()));
    const has = field === "metric_version" ? "metric_version 3" : `another ${field}`;
    expect(faultsOf(work)).toEqual([
      {
        pointer: `/metrics/0/${field}`,
        detail: `The shared metric "m" has ${has}. Change it for every experiment that uses it, with PUT /v1/metrics/m, or send shared_org_wide false to give this experiment its own copy.`,
      },
    ]);
  });

  test.each<[name: string, sent: MetricDefinition, shared: MetricDefinition]>([
    ["judged on another share", tone({ judge: { ...judge, sampleRate: 1 } }), tone()],
    ["of another quantile", metric({ kind: "quantile", quantile: 0.5 }), metric({ kind: "quantile" })],
  ])("is refused when it is %s", (_name, sent, shared) => {
    expect(faultsOf(() => firstVersion(inputOf([sent]), sharing(shared)))).toHaveLength(1);
  });

  test.each<[name: string, sent: MetricDefinition]>([
    ["the same", metric()],
    ["used otherwise", metric({ role: "primary", targetEffect: 0.2, method: "welch_t" })],
    ["its own", metric({ sharedOrgWide: false, kind: "ratio", metricVersion: 1 })],
    ["the first of its name", metric({ name: "other", metricVersion: 1 })],
  ])("is taken when it is %s", (_name, sent) => {
    expect(faultsOf(() => firstVersion(inputOf([sent]), sharing(metric())))).toEqual([]);
  });

  test("that already differed stays until it is changed", () => {
    const current = experimentOf(metric({ kind: "ratio", margin: 1 }));
    const context = { history: metricHistory([current]), shared: sharing(metric()) };
    const [held] = current.config.metrics as [MetricDefinition];
    const save = (sent: MetricDefinition) => () =>
      nextVersion(current, { metrics: [sent] }, new Set(), context);
    expect(faultsOf(save({ ...held, role: "primary" }))).toEqual([]);
    expect(faultsOf(save({ ...held, margin: 2 })).map(({ pointer }) => pointer)).toEqual([
      "/metrics/0/kind",
      "/metrics/0/margin",
    ]);
  });

  test("cannot come back under a version that meant something else here", () => {
    const current = experimentOf(metric({ sharedOrgWide: false, kind: "ratio" }));
    const context = { history: metricHistory([current]), shared: sharing(metric()) };
    expect(faultsOf(() => nextVersion(current, { metrics: [metric()] }, new Set(), context))).toEqual([
      {
        pointer: "/metrics/0/metric_version",
        detail: expect.stringMatching(
          /^kind changed from ratio to mean. Send metric_version 4.*PUT \/v1\/metrics\/m/,
        ),
      },
    ]);
  });
});

describe("a change of a shared metric", () => {
  test.each<[name: string, sent: MetricDefinition, pointers: readonly string[]]>([
    ["another meaning under the same version", metric({ kind: "ratio" }), ["/metric_version"]],
    ["another name", metric({ name: "n" }), ["/name"]],
    ["an end of sharing", metric({ sharedOrgWide: false }), ["/shared_org_wide"]],
    ["what no metric may have", metric({ kind: "binary", cap: 5, metricVersion: 4 }), ["/cap"]],
  ])("is refused with %s", (_name, sent, pointers) => {
    expect(faultsOf(() => nextShared(metric(), sent)).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test("raises a judged metric's version automatically", () => {
    const sent = tone({ judge: { ...judge, scale: "0-1" } });
    expect(nextShared(tone(), sent)).toEqual({ ...sent, metricVersion: 4 });
  });

  const [from, to] = [metric(), metric({ kind: "ratio", metricVersion: 4, role: "guardrail" })];
  const take = (own: MetricDefinition, history = [own]) =>
    takeShared(
      { name: "checkout", metrics: [metric({ name: "first" }), own] },
      { from, to },
      metricHistory([{ config: { metrics: history } as never }]),
    );

  test("reaches an experiment that uses it, which keeps its own settings for it", () => {
    const own = metric({ role: "primary", targetEffect: 0.2, method: "mann_whitney_u" });
    // A ratio has no ranks.
    const used = { role: "primary", targetEffect: 0.2, method: null } as const;
    expect(take(own)).toEqual({ metrics: [metric({ name: "first" }), { ...to, ...used }], fault: null });
    expect(adoptShared(to, { ...own, method: "permutation" }).method).toBe("permutation");
  });

  test.each<[name: string, own: MetricDefinition]>([
    ["without it", metric({ name: "other" })],
    ["with a copy of its own", metric({ sharedOrgWide: false })],
    ["that has it already", { ...to, role: "secondary" }],
    ["that differed and is as far", metric({ cap: 5, metricVersion: 4 })],
  ])("leaves an experiment %s alone", (_name, own) => {
    expect(take(own)).toEqual({ metrics: null, fault: null });
  });

  test("updates an experiment that differed under a lower version", () => {
    for (const history of [undefined, []])
      expect(take(metric({ cap: 5 }), history).metrics?.[1]).toEqual({ ...to, role: "secondary" });
  });

  test("is refused if an experiment that uses it once had a higher version", () => {
    expect(take(metric(), [metric({ cap: 5, metricVersion: 6 })])).toEqual({
      metrics: null,
      fault: {
        pointer: "/metric_version",
        detail: 'In the experiment "checkout" this metric has had version 6. Send metric_version 7.',
      },
    });
  });
});

test("an experiment follows a shared metric that it uses unchanged", () => {
  expect(followsShared(metric({ role: "primary" }), metric())).toBe(true);
  expect(followsShared(metric({ margin: 1 }), metric())).toBe(false);
  expect(followsShared(metric({ sharedOrgWide: false }), metric())).toBe(false);
  expect(followsShared(metric(), undefined)).toBe(false);
});
