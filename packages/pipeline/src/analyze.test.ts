import {
  type ArmExposure,
  type ArmMetric,
  type ArmSnapshot,
  dayOf,
  type Experiment,
  firstVersion,
  type MetricDefinition,
  type RunLabel,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { analyze } from "./analyze.ts";

const until = Date.UTC(2026, 10, 21);
const nightly: RunLabel = { kind: "nightly", day: dayOf(until - 1) };
const manual: RunLabel = { kind: "manual", at: until };

function metric(name: string, change: Partial<MetricDefinition> = {}): MetricDefinition {
  return {
    name,
    kind: "mean",
    category: "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
    source: { event: "business_event", businessMetric: name },
    quantile: 0.95,
    desired: "increase",
    role: "primary",
    margin: null,
    windowDays: null,
    cap: null,
    method: null,
    judge: null,
    description: null,
    ...change,
  };
}

function experimentOf(
  metrics: readonly MetricDefinition[],
  arms: readonly string[] = ["control", "treatment"],
): Experiment {
  const allocation = arms.map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({ name: "e", salt: "s", bucketCount: 1000, allocation, metrics });
  return {
    id: "00000000-0000-7000-8000-000000000001",
    orgId: "o",
    version: 1,
    servedAt: 1,
    createdAt: 0,
    updatedAt: 0,
    ...content,
  };
}

const exposure = (arm: string, users: number, change: Partial<ArmExposure> = {}): ArmExposure => ({
  arm,
  period: 0,
  users,
  testUsers: 0,
  contaminatedUsers: 0,
  ...change,
});

/** The sums of n users whose values have this mean and variance. */
const sums = (
  name: string,
  arm: string,
  users: number,
  { mean = 0, variance = 1, events = users, period = 0 },
): ArmMetric => ({
  metric: name,
  arm,
  period,
  users,
  events,
  meanY: mean,
  m2Y: variance * (users - 1),
  meanD: 1,
  m2D: 0,
  cYD: 0,
  fineCounts: new Map([[0, users]]),
});

function run(
  { metrics, arms }: { readonly metrics: readonly MetricDefinition[]; readonly arms?: readonly string[] },
  snapshot: Partial<ArmSnapshot>,
  { label = nightly, periods }: { label?: RunLabel; periods?: Parameters<typeof analyze>[0]["periods"] } = {},
) {
  const experiment = experimentOf(metrics, arms);
  const names = arms ?? ["control", "treatment"];
  const equal = Object.fromEntries(names.map((arm) => [arm, 1 / names.length]));
  const frame = {
    experiment,
    periods: periods ?? [{ startsAt: 0, shares: equal }],
    label,
    until,
    computedAt: until + 1,
  };
  const rest = {
    metrics: [],
    droppedPreExposure: 0,
    variantConflicts: 0,
    firstExposureAt: until - 3_600_000,
  };
  return analyze(frame, { exposures: names.map((arm) => exposure(arm, 1000)), ...rest, ...snapshot });
}

const codes = (results: ReturnType<typeof run>) => results.health.map(({ code }) => code);

describe("the SRM gate", () => {
  test("withholds every row when the split differs at p < 0.001", () => {
    const results = run(
      { metrics: [metric("m")] },
      {
        exposures: [exposure("control", 1100), exposure("treatment", 900)],
        metrics: [sums("m", "control", 1100, {}), sums("m", "treatment", 900, { mean: 9 })],
      },
    );
    expect(results.srm).toMatchObject({
      status: "halted",
      threshold: 0.001,
      observed: { control: 1100, treatment: 900 },
    });
    expect(results.srm.pValue).toBeCloseTo(7.744216431e-6, 12); // chi-square 20 on 1 degree of freedom
    expect(results.results).toEqual({});
    expect(codes(results)).toContain("srm");
  });

  test("lets a split pass that chance explains", () => {
    const results = run(
      { metrics: [] },
      { exposures: [exposure("control", 1040), exposure("treatment", 960)] },
    );
    expect(results.srm).toMatchObject({ status: "passed", expected: { control: 0.5, treatment: 0.5 } });
    expect(results.srm.pValue).toBeCloseTo(0.0736383, 6); // chi-square 3.2
  });

  test("expects each period's own shares", () => {
    const periods = [
      { startsAt: 0, shares: { control: 0.9, treatment: 0.1 } },
      { startsAt: 9, shares: { control: 0.5, treatment: 0.5 } },
    ];
    const exposures = [
      exposure("control", 900),
      exposure("treatment", 100),
      exposure("control", 500, { period: 1 }),
      exposure("treatment", 500, { period: 1 }),
    ];
    const results = run({ metrics: [] }, { exposures }, { periods });
    expect(results.srm).toMatchObject({ status: "passed", expected: { control: 0.7, treatment: 0.3 } });
    expect(results.srm.pValue).toBeCloseTo(1, 10);
    expect(codes(results)).toContain("allocation-changed");
  });

  test("halts on users of an arm that nobody was allocated to", () => {
    const exposures = [exposure("control", 500), exposure("treatment", 500), exposure("ghost", 3)];
    expect(run({ metrics: [] }, { exposures }).srm.status).toBe("halted");
    expect(run({ metrics: [] }, {}, { periods: [] }).srm.status).toBe("halted");
  });

  test("counts test users, and tells the p-value without them", () => {
    const exposures = [exposure("control", 1100, { testUsers: 100 }), exposure("treatment", 1000)];
    const results = run({ metrics: [] }, { exposures });
    expect(results.srm.pValue).toBeLessThan(0.05);
    expect(results.health).toContainEqual(
      expect.objectContaining({ code: "test-events", detail: expect.stringContaining("p-value is 1.0") }),
    );
  });

  test("no users at all pass: there is no split to judge", () => {
    const results = run({ metrics: [metric("m")] }, { exposures: [], firstExposureAt: null });
    expect(results.srm).toMatchObject({ status: "passed", pValue: 1 });
    expect(codes(results)).toContain("metric-collecting");
  });
});

describe("rows", () => {
  const two = (name: string, control: object, treatment: object) => [
    sums(name, "control", 1000, control),
    sums(name, "treatment", 1000, treatment),
  ];

  test("carry effect, interval, relative effect and both p-values", () => {
    const results = run(
      { metrics: [metric("m")] },
      { metrics: two("m", { mean: 10, variance: 4 }, { mean: 10.5, variance: 4 }) },
    );
    const row = results.results["m::treatment"];
    expect(row).toMatchObject({
      test: "welch_t",
      control: "control",
      nPerArm: { control: 1000, treatment: 1000 },
      eventsPerArm: { control: 1000, treatment: 1000 },
      significant: true,
      verdict: "better",
      preliminary: false,
      permutationsUsed: 0,
      sampleCapUsed: 0,
      retentionTruncated: false,
      windowDays: 1,
      srmP: results.srm.pValue,
    });
    expect(row?.effect).toBeCloseTo(0.5, 12);
    expect(row?.relativeEffect).toBeCloseTo(0.05, 12);
    const half = 1.961152 * Math.sqrt(0.008); // t quantile .975 at 1,998 degrees of freedom
    expect(row?.ciLow).toBeCloseTo(0.5 - half, 6);
    expect(row?.ciHigh).toBeCloseTo(0.5 + half, 6);
    expect(row?.mde).toBeCloseTo(2.8015852 * Math.sqrt(0.008), 6);
    expect(row?.ciSeqLow).toBeLessThan(row?.ciLow ?? 0);
    expect(row?.pValueSeq).toBeGreaterThan(row?.pValue ?? 1);
  });

  test.each([
    { desired: "increase", treatment: 11, verdict: "better" },
    { desired: "increase", treatment: 9, verdict: "worse" },
    { desired: "decrease", treatment: 9, verdict: "better" },
    { desired: "decrease", treatment: 11, verdict: "worse" },
    { desired: "decrease", treatment: 10, verdict: "inconclusive" },
  ] as const)(
    "a mean of $treatment against 10 is $verdict when $desired is desired",
    ({ desired, treatment, verdict }) => {
      const results = run(
        { metrics: [metric("m", { desired })] },
        { metrics: two("m", { mean: 10 }, { mean: treatment }) },
      );
      expect(results.results["m::treatment"]?.verdict).toBe(verdict);
    },
  );

  test("are decided on the corrected p-value over all metrics and treatments of the run", () => {
    const arms = ["control", "a", "b"];
    const metrics = ["m1", "m2", "m3"].map((name) => metric(name));
    // One row at p ≈ .03 among five without an effect: significant alone, not after the correction over six.
    const data = metrics.flatMap(({ name }) =>
      arms.map((arm) => sums(name, arm, 1000, { mean: name === "m1" && arm === "a" ? 0.097 : 0 })),
    );
    const results = run({ metrics, arms }, { metrics: data });
    const row = results.results["m1::a"];
    expect(Object.keys(results.results)).toEqual(["m1::a", "m1::b", "m2::a", "m2::b", "m3::a", "m3::b"]);
    expect(row?.pValue).toBeLessThan(0.05);
    expect(row?.pValueFdr).toBeCloseTo((row?.pValue ?? 0) * 6, 10);
    expect(row).toMatchObject({ significant: false, verdict: "inconclusive" });
  });

  test("compare only the control and the treatment of the row", () => {
    const arms = ["control", "a", "b"];
    const data = arms.map((arm, index) => sums("m", arm, 1000, { mean: index }));
    const row = run({ metrics: [metric("m")], arms }, { metrics: data }).results["m::b"];
    expect(Object.keys(row?.distribution ?? {})).toEqual(["control", "b"]);
    expect(row).toMatchObject({ controlValue: 0, treatmentValue: 2 });
  });

  test("add an arm's periods up", () => {
    const data = [
      sums("m", "control", 500, { mean: 1 }),
      sums("m", "control", 500, { mean: 3, period: 1 }),
      sums("m", "treatment", 1000, { mean: 2 }),
    ];
    expect(run({ metrics: [metric("m")] }, { metrics: data }).results["m::treatment"]).toMatchObject({
      controlValue: 2,
      effect: 0,
    });
  });

  test.each([
    { name: "a ratio", kind: "ratio", change: {}, test: "ratio_delta" },
    { name: "a share with many successes", kind: "binary", change: { mean: 0.5 }, test: "two_proportion_z" },
    { name: "a share with few successes", kind: "binary", change: { mean: 0.005 }, test: "fisher_exact" },
    {
      name: "a share whose method is overridden",
      kind: "binary",
      change: { mean: 0.5 },
      method: "fisher_exact",
      test: "fisher_exact",
    },
  ] as const)("$name is tested by $test", ({ kind, change, test: ran, ...rest }) => {
    const method = "method" in rest ? rest.method : null;
    const results = run({ metrics: [metric("m", { kind, method })] }, { metrics: two("m", change, change) });
    expect(results.results["m::treatment"]?.test).toBe(ran);
    expect(codes(results)).toEqual([]);
  });

  test("say so when another test ran than was asked for", () => {
    const asked = metric("m", { methodDefault: "permutation" });
    const results = run({ metrics: [asked] }, { metrics: two("m", { mean: 1 }, { mean: 1 }) });
    expect(results.results["m::treatment"]?.test).toBe("welch_t");
    expect(codes(results)).toEqual(["method-fallback"]);
  });

  test("are absent, with a remark, for values too large to square", () => {
    const data = two("m", { mean: Number.NaN, variance: Number.NaN }, { mean: 1 });
    const results = run({ metrics: [metric("m")] }, { metrics: data });
    expect(results.results).toEqual({});
    expect(codes(results)).toEqual(["metric-degenerate"]);
  });
});

describe("eligibility", () => {
  const data = (control: { users: number; events: number }, treatment: { users: number; events: number }) => [
    sums("m", "control", control.users, { events: control.events }),
    sums("m", "treatment", treatment.users, { events: treatment.events }),
  ];
  test.each([
    {
      name: "199 events in an arm",
      control: { users: 100, events: 199 },
      treatment: { users: 100, events: 900 },
      exists: false,
    },
    {
      name: "200 events in every arm",
      control: { users: 100, events: 200 },
      treatment: { users: 100, events: 200 },
      exists: true,
    },
    {
      name: "19 users in an arm",
      control: { users: 19, events: 400 },
      treatment: { users: 100, events: 400 },
      exists: false,
    },
    {
      name: "20 users in every arm",
      control: { users: 20, events: 400 },
      treatment: { users: 20, events: 400 },
      exists: true,
    },
  ])("a nightly row with $name exists: $exists", ({ control, treatment, exists }) => {
    const results = run({ metrics: [metric("m")] }, { metrics: data(control, treatment) });
    expect(Object.keys(results.results)).toHaveLength(exists ? 1 : 0);
    expect(codes(results)).toEqual(exists ? [] : ["metric-collecting"]);
  });

  test("a manual run needs no more than its test does", () => {
    const few = run(
      { metrics: [metric("m")] },
      { metrics: data({ users: 2, events: 2 }, { users: 3, events: 3 }) },
      { label: manual },
    );
    expect(few.results["m::treatment"]).toMatchObject({ preliminary: true });
    expect(few.computedFor).toBe("manual-2026-11-21T00:00:00.000Z");
    const one = run(
      { metrics: [metric("m")] },
      { metrics: data({ users: 1, events: 1 }, { users: 3, events: 3 }) },
      { label: manual },
    );
    expect(one.results).toEqual({});
  });

  test("a metric nobody reported collects from zero", () => {
    const results = run({ metrics: [metric("m")] }, {});
    expect(results.health[0]?.detail).toContain("control 0 events of 0 users");
  });
});

describe("remarks", () => {
  test("name users seen in two variants, and warn from 1 % on", () => {
    const some = run(
      { metrics: [] },
      { exposures: [exposure("control", 1000, { contaminatedUsers: 5 }), exposure("treatment", 1000)] },
    );
    expect(some.health).toEqual([expect.objectContaining({ code: "contaminated-users", severity: "info" })]);
    const many = run(
      { metrics: [] },
      { exposures: [exposure("control", 1000, { contaminatedUsers: 20 }), exposure("treatment", 1000)] },
    );
    expect(many.health).toEqual([
      expect.objectContaining({ code: "contaminated-users", severity: "warning" }),
    ]);
  });

  test("count outcomes that did not count", () => {
    const results = run({ metrics: [] }, { droppedPreExposure: 3, variantConflicts: 2 });
    expect(codes(results)).toEqual(["dropped-pre-exposure", "variant-conflict"]);
  });

  test("name metrics that this version does not analyse", () => {
    const results = run(
      { metrics: [metric("p95", { kind: "quantile" }), metric("judge", { source: { event: "judge" } })] },
      {},
    );
    expect(codes(results).filter((code) => code === "metric-not-analysed")).toHaveLength(2);
  });
});
