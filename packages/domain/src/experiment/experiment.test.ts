import { describe, expect, test } from "vitest";
import { faultPointers } from "../test-support/faults.ts";
import { allocationPeriods } from "./allocation-periods.ts";
import type { Experiment } from "./config.ts";
import type { ConfigInput } from "./make-config.ts";
import { defaultDirection, defaultSource, type MetricDefinition, methodsOfKind } from "./metric.ts";
import { firstVersion, nextVersion } from "./next-version.ts";

const metric: MetricDefinition = {
  name: "latency",
  kind: "ratio",
  category: "latency",
  methodDefault: "auto",
  metricVersion: 1,
  sharedOrgWide: false,
  source: defaultSource("latency", "latency"),
  quantile: 0.95,
  desired: "decrease",
  role: "primary",
  margin: null,
  targetEffect: 0.05,
  windowDays: null,
  cap: null,
  method: null,
  judge: null,
  acceptFrom: null,
  description: null,
  displayName: null,
  unit: null,
};
const judge = { rubric: "Is it polite?", scale: "pass_fail", sampleRate: 0.1 } as const;
const judged: MetricDefinition = {
  ...metric,
  name: "tone",
  category: "quality",
  source: { event: "judge" },
  desired: "increase",
  judge,
};
const input: ConfigInput = {
  name: "checkout",
  salt: "s",
  bucketCount: 100,
  allocation: [
    { variant: "a", weight: 1 },
    { variant: "b", weight: 1 },
  ],
  metrics: [metric],
};

function experimentOf(change: Partial<Experiment> = {}): Experiment {
  const { config, bucketMap } = firstVersion(input);
  return {
    id: "x",
    orgId: "o",
    version: 1,
    config,
    bucketMap,
    servedAt: null,
    createdAt: 0,
    updatedAt: 0,
    isDemo: false,
    ...change,
  };
}

describe("the first version", () => {
  test("fills the defaults", () => {
    expect(firstVersion(input).config).toMatchObject({
      coverage: 1,
      control: "a",
      status: "running",
      hypothesis: null,
      variants: [
        { key: "a", prompt: null, enabled: true },
        { key: "b", prompt: null, enabled: true },
      ],
    });
  });

  test("uses the variant called control as control, whatever its position", () => {
    const variants = [{ key: "a" }, { key: "control" }, { key: "b" }];
    expect(firstVersion({ ...input, variants }).config.control).toBe("control");
  });

  test.each([
    { name: "two metrics of one name", change: { metrics: [metric, metric] }, pointers: ["/metrics/1/name"] },
    {
      name: "a slice without a variant",
      change: { variants: [{ key: "a" }, { key: "c" }] },
      pointers: ["/allocation/1/variant"],
    },
    { name: "a control that is not a variant", change: { control: "z" }, pointers: ["/control"] },
    {
      name: "weights that sum to zero",
      change: { allocation: input.allocation.map(({ variant }) => ({ variant, weight: 0 })) },
      pointers: ["/allocation"],
    },
    {
      name: "a test that does not fit the kind",
      change: { metrics: [{ ...metric, methodDefault: "welch_t" as const }] },
      pointers: ["/metrics/0/method_default"],
    },
    {
      name: "an override that does not fit",
      change: { metrics: [{ ...metric, method: "fisher_exact" as const }] },
      pointers: ["/metrics/0/method"],
    },
    {
      name: "a cap on a metric that is not a mean",
      change: { metrics: [{ ...metric, cap: 5 }] },
      pointers: ["/metrics/0/cap"],
    },
    {
      name: "a pooled cap on a metric that is not a mean",
      change: { metrics: [{ ...metric, cap: "p99.9" as const }] },
      pointers: ["/metrics/0/cap"],
    },
    {
      name: "a judge for a metric whose source is not a judge",
      change: { metrics: [metric, { ...metric, name: "judged", judge }] },
      pointers: ["/metrics/1/judge"],
    },
    {
      name: "a quantile of scores",
      change: { metrics: [{ ...judged, kind: "quantile" as const, judge: null }] },
      pointers: ["/metrics/0/kind"],
    },
    {
      name: "a binary metric of scores between pass and fail",
      change: {
        metrics: [{ ...judged, kind: "binary" as const, judge: { ...judge, scale: "1-5" as const } }],
      },
      pointers: ["/metrics/0/kind"],
    },
    {
      name: "one variant twice",
      change: { variants: [{ key: "a" }, { key: "b" }, { key: "b" }] },
      pointers: ["/variants/2/key"],
    },
  ])("refuses $name and points at it", ({ change, pointers }) => {
    expect(faultPointers(() => firstVersion({ ...input, ...change }))).toEqual(pointers);
  });

  test.each([5, "p99.9"] as const)("takes a cap of %s on a mean", (cap) => {
    const metrics = [{ ...metric, kind: "mean" as const, cap }];
    expect(firstVersion({ ...input, metrics }).config.metrics).toEqual(metrics);
  });

  test.each([
    { name: "a share of passes", change: {} },
    { name: "users without a fail", change: { kind: "binary" as const } },
    {
      name: "a binary metric without a rubric yet",
      change: { kind: "binary" as const, judge: null },
    },
    {
      name: "a mean of points",
      change: { kind: "mean" as const, judge: { ...judge, scale: "1-5" as const } },
    },
  ])("takes $name of a judge", ({ change }) => {
    const metrics = [{ ...judged, ...change }];
    expect(firstVersion({ ...input, metrics }).config.metrics).toEqual(metrics);
  });

  test("refuses an empty allocation rather than guess a control", () => {
    expect(faultPointers(() => firstVersion({ ...input, allocation: [] }))).toContain("/control");
  });
});

describe("the next version", () => {
  test("keeps every field that the change leaves out", () => {
    const current = experimentOf();
    const { config } = nextVersion(current, { status: "stopped" }, new Set());
    expect(config).toEqual({ ...current.config, status: "stopped" });
  });

  test("takes every field that the change names", () => {
    const change = {
      name: "n",
      salt: "s",
      bucketCount: 100,
      coverage: 0.5,
      control: "b",
      hypothesis: "h",
      description: null,
      metrics: [],
      variants: [{ key: "a", prompt: "p", enabled: false }, { key: "b" }],
    };
    const { config } = nextVersion(experimentOf(), change, new Set());
    expect(config).toMatchObject({ name: "n", coverage: 0.5, control: "b", hypothesis: "h", metrics: [] });
    expect(config.variants[0]).toMatchObject({ prompt: "p", enabled: false });
  });

  test("makes a variant of a newly allocated arm", () => {
    const allocation = [...input.allocation, { variant: "c", weight: 1 }];
    const { config, bucketMap } = nextVersion(experimentOf(), { allocation }, new Set());
    expect(config.variants.map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect(new Set(bucketMap.map(({ variant }) => variant))).toEqual(new Set(["a", "b", "c"]));
  });

  test("refuses to change what is frozen", () => {
    expect(
      faultPointers(() => nextVersion(experimentOf(), { salt: "t", bucketCount: 7 }, new Set())),
    ).toEqual(["/salt", "/bucket_count"]);
  });

  test("moves no claimed bucket", () => {
    const allocation = [
      { variant: "a", weight: 0 },
      { variant: "b", weight: 1 },
    ];
    const { bucketMap } = nextVersion(experimentOf(), { allocation }, new Set([0, 1]));
    expect(bucketMap).toEqual([
      { start: 0, end: 2, variant: "a" },
      { start: 2, end: 100, variant: "b" },
    ]);
  });

  test("moves no bucket at all once client libraries have the config", () => {
    const current = experimentOf({ servedAt: 1 });
    const allocation = [
      { variant: "a", weight: 1 },
      { variant: "b", weight: 9 },
    ];
    expect(nextVersion(current, { allocation }, new Set()).bucketMap).toEqual(current.bucketMap);
  });

  test("refuses to drop a variant whose users keep it", () => {
    const current = experimentOf({ servedAt: 1 });
    const change = {
      variants: [{ key: "b" }, { key: "c" }],
      allocation: [
        { variant: "b", weight: 1 },
        { variant: "c", weight: 1 },
      ],
      control: "b",
    };
    expect(faultPointers(() => nextVersion(current, change, new Set()))).toEqual(["/variants"]);
  });
});

describe("the version of a judged metric", () => {
  const at = (metricVersion: number, change: Partial<MetricDefinition> = {}) => ({
    ...judged,
    metricVersion,
    ...change,
  });
  const another = { ...judge, rubric: "Is it short?" };

  test.each([
    { name: "rises with the rubric", sent: at(3, { judge: another }), version: 4 },
    { name: "rises with the scale", sent: at(3, { judge: { ...judge, scale: "0-1" } }), version: 4 },
    { name: "rises when the judge goes", sent: at(3, { judge: null }), version: 4 },
    { name: "is the caller's when that is higher", sent: at(9, { judge: another }), version: 9 },
    { name: "is the caller's when nothing else changes", sent: at(9), version: 9 },
    { name: "stays while the judge stays", sent: at(3, { description: "told" }), version: 3 },
    {
      name: "stays when fewer calls are judged",
      sent: at(3, { judge: { ...judge, sampleRate: 0.01 } }),
      version: 3,
    },
    { name: "never falls", sent: at(1), version: 3 },
    { name: "is taken as sent with a new name", sent: at(1, { name: "other", judge: another }), version: 1 },
  ])("$name", ({ sent, version }) => {
    const { config, bucketMap } = firstVersion({ ...input, metrics: [at(3)] });
    const current = experimentOf({ config, bucketMap });
    const next = nextVersion(current, { metrics: [sent] }, new Set());
    expect(next.config.metrics).toEqual([{ ...sent, metricVersion: version }]);
  });

  test("is taken as sent with a metric's first judge", () => {
    const { config, bucketMap } = firstVersion({ ...input, metrics: [at(3, { judge: null })] });
    const current = experimentOf({ config, bucketMap });
    expect(nextVersion(current, { metrics: [at(3)] }, new Set()).config.metrics).toEqual([at(3)]);
  });
});

test("a metric with another meaning is refused under the same version", () => {
  const sent = { ...metric, kind: "mean" as const };
  const save = (metrics: readonly MetricDefinition[]) => () =>
    nextVersion(experimentOf(), { metrics }, new Set());
  expect(faultPointers(save([sent]))).toEqual(["/metrics/0/metric_version"]);
  expect(faultPointers(save([{ ...sent, metricVersion: 2 }]))).toEqual([]);
});

describe("allocation periods", () => {
  const version = (updatedAt: number, weights: readonly number[], disabled: readonly string[] = []) => {
    const variants = ["a", "b"].map((key) => ({ key, enabled: !disabled.includes(key) }));
    const allocation = weights.map((weight, index) => ({ variant: index === 0 ? "a" : "b", weight }));
    return { updatedAt, ...firstVersion({ ...input, variants, allocation }) };
  };

  test("versions of equal shares are one period", () => {
    expect(allocationPeriods([version(1, [1, 1]), version(2, [50, 50])])).toEqual([
      { startsAt: 1, shares: { a: 0.5, b: 0.5 } },
    ]);
  });

  test("a change of shares starts a period", () => {
    const periods = allocationPeriods([version(1, [1, 1]), version(2, [1, 3]), version(3, [1, 1])]);
    expect(periods.map(({ startsAt }) => startsAt)).toEqual([1, 2, 3]);
    expect(periods[1]?.shares).toEqual({ a: 0.25, b: 0.75 });
  });

  test("a disabled variant is expected to get nobody", () => {
    expect(allocationPeriods([version(1, [1, 1], ["b"])])).toEqual([{ startsAt: 1, shares: { a: 1 } }]);
  });

  test("a version that assigns no users starts no period", () => {
    const off = version(2, [1, 1], ["a", "b"]);
    expect(allocationPeriods([version(1, [1, 1]), off, version(3, [1, 1])])).toHaveLength(1);
    expect(allocationPeriods([off])).toEqual([]);
  });

  test("an arm that joins or leaves changes the shares", () => {
    expect(allocationPeriods([version(1, [1, 1], ["a"]), version(2, [1, 1], ["b"])])).toHaveLength(2);
    expect(allocationPeriods([version(1, [1, 1], ["b"]), version(2, [1, 1])])).toHaveLength(2);
    expect(allocationPeriods([version(1, [1, 1]), version(2, [1, 1], ["b"])])).toHaveLength(2);
  });
});

test.each([
  ["latency", { event: "model_call", field: "latency_ms" }, "decrease"],
  ["cost", { event: "model_call", field: "cost_usd" }, "decrease"],
  ["reliability", { event: "model_call", field: "error" }, "decrease"],
  ["business", { event: "business_event", businessMetric: "m" }, "increase"],
  ["quality", { event: "judge" }, "increase"],
] as const)("a %s metric reads its own source and direction", (category, source, direction) => {
  expect(defaultSource(category, "m")).toEqual(source);
  expect(defaultDirection(category)).toBe(direction);
});

test("every kind has auto among its tests", () => {
  for (const kind of ["binary", "mean", "ratio", "quantile", "ordinal"] as const)
    expect(methodsOfKind(kind)).toContain("auto");
});
