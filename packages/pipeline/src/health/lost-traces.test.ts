import {
  type EventSource,
  type LoggedTraces,
  type MetricDefinition,
  NO_ATTRIBUTION_FACTS,
  type OutcomeSource,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { checkOf, type HealthData, severities } from "../test-support/health.ts";
import { judgedMetric } from "../test-support/judged.ts";
import { codes, metric, run } from "../test-support/runs.ts";
import { loadLoggedTraces } from "./lost-traces.ts";

const outcome = (change: Partial<OutcomeSource>): OutcomeSource => ({
  ...{ type: "model_call", businessMetric: null, source: "otlp", events: 9, users: 9 },
  ...{ usersBeforeExposure: 0, usersWithoutExposure: 0, ...change },
});
const CALLS = [outcome({})];
const latency = metric("latency", { source: { event: "model_call", field: "latency_ms" } });

/** Users of an arm with ten traces each, of whom the first `losers` lost `lost` of them. */
const users = (arm: string, count: number, losers: number, { lost = 10, period = 0 } = {}) =>
  Array.from(
    { length: count },
    (_, i): LoggedTraces => ({ arm, period, traces: 10, lost: i < losers ? lost : 0 }),
  );

const check = (loggedTraces: readonly LoggedTraces[], data: Partial<HealthData> = {}) =>
  checkOf("lost-traces", { metrics: [latency], attribution: { outcomes: CALLS }, loggedTraces, ...data });

describe("lost traces", () => {
  test("of a sampler that drops at random are as frequent in each arm", () => {
    expect(check([...users("control", 500, 100), ...users("treatment", 500, 110)])).toMatchObject({
      severity: "ok",
      action: null,
      detail: expect.stringContaining("control 20%, treatment 22%"),
      measure: "p_value",
      threshold: 0.001,
      arms: { control: { count: 1000, of: 5000, share: 0.2 }, treatment: { share: 0.22 } },
    });
    const none = check([...users("control", 500, 0), ...users("treatment", 500, 0)]);
    expect(none).toMatchObject({ severity: "ok", value: 1 });
  });

  test("that a sampler drops with a known probability of its own in each arm are not lost", () => {
    const sampled = (arm: string, weight: number) => ({
      ...{ arm, users: 500, sampledUsers: 0, calls: 9, sampledCalls: 9, weight: 9 * weight },
      ...{ smallestWeight: weight, largestWeight: weight },
    });
    const sampling = [sampled("control", 2), sampled("treatment", 4)];
    const kept = users("control", 500, 250);
    const found = check([...kept, ...users("treatment", 500, 375)], { sampling });
    expect(found).toMatchObject({ severity: "ok", value: 1 });
    expect(found.detail).toContain("with a known probability");
    expect(check([...kept, ...users("treatment", 500, 450)], { sampling }).severity).toBe("critical");
    for (const of of [
      sampling.slice(1),
      sampling.slice(0, 1),
      [sampled("control", 2), sampled("treatment", 2)],
    ])
      expect(check([...kept, ...users("treatment", 500, 375)], { sampling: of }).severity).toBe("critical");
  });

  test("that are more frequent in an arm withhold the run", () => {
    const found = check([...users("control", 500, 50), ...users("treatment", 500, 110)]);
    expect(found).toMatchObject({ severity: "critical" });
    expect(found.value).toBeLessThan(0.001);
    expect(found.detail).toContain("control 10%, treatment 22%");
    expect(found.action).toContain("tail sampling");
  });

  test("of under a point more are no alarm, however many users show them", () => {
    const few = { lost: 1 };
    const found = check([...users("control", 4_000, 0), ...users("treatment", 4_000, 380, few)]);
    expect(found).toMatchObject({ severity: "ok" });
    expect(found.value).toBeLessThan(0.001);
    const more = check([...users("control", 4_000, 0), ...users("treatment", 4_000, 400, few)]);
    expect(more.severity).toBe("critical");
    const all = check([...users("control", 4_000, 0), ...users("treatment", 4_000, 40)]);
    expect(all.severity).toBe("critical");
  });

  test("of a heavy user weigh as those of any other", () => {
    const heavy: LoggedTraces = { arm: "treatment", period: 0, traces: 100_000, lost: 100_000 };
    const found = check([...users("control", 500, 50), ...users("treatment", 500, 50), heavy]);
    expect(found.severity).toBe("ok");
  });

  test("are compared within allocation periods, since a sampler may have changed between them", () => {
    const before = { control: 0.9, treatment: 0.1 };
    const periods = [
      { startsAt: 0, shares: before },
      { startsAt: 9, shares: { control: 0.5, treatment: 0.5 } },
    ];
    const traces = [
      ...users("control", 900, 0),
      ...users("treatment", 100, 0),
      ...users("control", 500, 200, { period: 1 }),
      ...users("treatment", 500, 200, { period: 1 }),
    ];
    expect(check(traces, { periods })).toMatchObject({ severity: "ok", value: 1 });
  });

  test("of an arm without any trace are no sampling: a warning asks whether it works without a model", () => {
    for (const [control, treatment] of [
      [500, 50],
      [50, 500],
    ] as const) {
      const found = check([...users("control", 500, control), ...users("treatment", 500, treatment)]);
      expect(found).toMatchObject({
        severity: "warning",
        detail: expect.stringContaining("sampling does not explain"),
      });
    }
  });

  test("of each treatment have their part of the level", () => {
    const arms = ["control", "a", "b", "c"];
    const traces = (losers: number) => [
      ...users("control", 500, 50),
      ...users("a", 500, losers),
      ...users("b", 500, 50),
      ...users("c", 500, 50),
    ];
    const alone = checkOf("lost-traces", {
      ...{ arms: ["control", "a"], metrics: [latency], attribution: { outcomes: CALLS } },
      loggedTraces: traces(89).slice(0, 1_000),
    });
    const ofThree = check(traces(89), { arms });
    expect(alone.severity).toBe("critical");
    expect(ofThree.severity).toBe("ok");
    expect(ofThree.value).toBeGreaterThan(2 * (alone.value ?? 1));
    expect(check(traces(50), { arms }).value).toBe(1);
    // An arm without any trace does not hide what a sampler does to another.
    const silent = [...users("control", 500, 50), ...users("a", 500, 500), ...users("b", 500, 200)];
    expect(check(silent, { arms: arms.slice(0, 3) }).severity).toBe("critical");
    // The smallest p-value of three is below the level, too.
    expect(check(traces(250), { arms }).severity).toBe("critical");
  });

  test.each([
    { name: "nobody", traces: [] },
    { name: "one arm", traces: users("control", 9, 3) },
    { name: "single users", traces: [...users("control", 9, 3), ...users("treatment", 1, 0)] },
  ])("of $name cannot be compared", ({ traces }) => {
    expect(check(traces)).toMatchObject({ severity: "no-data", value: null, action: null });
  });
});

test("lost traces are checked where calls come by OpenTelemetry", () => {
  const traces = [...users("control", 9, 0), ...users("treatment", 9, 0)];
  expect(severities({ loggedTraces: traces })).not.toHaveProperty("lost-traces");
});

describe("a run is withheld", () => {
  const off = [...users("control", 500, 50), ...users("treatment", 500, 150)];
  const runOf = (metrics: readonly MetricDefinition[], outcomes: readonly OutcomeSource[]) =>
    run(
      { metrics },
      { metrics: ["control", "treatment"].map((arm) => sums({ metric: metrics[0]!.name, arm }, 1_000, {})) },
      { attribution: { ...NO_ATTRIBUTION_FACTS, outcomes }, loggedTraces: off },
    );
  const sale = (acceptFrom: readonly EventSource[] | null) =>
    metric("sale", { source: { event: "business_event", businessMetric: "sale" }, acceptFrom });
  const scores = outcome({ type: "business_event", businessMetric: "sale" });
  const sold = outcome({ type: "business_event", businessMetric: "sale", source: "secret" });

  test.each([
    { name: "calls", metrics: [latency], outcomes: CALLS },
    { name: "calls, beside one that does not", metrics: [latency, sale(["secret"])], outcomes: CALLS },
    {
      name: "calls of several senders",
      metrics: [latency],
      outcomes: [outcome({ source: "secret" }), ...CALLS],
    },
    { name: "scores by OpenTelemetry", metrics: [sale(null)], outcomes: [...CALLS, scores] },
    { name: "a judge's scores of calls", metrics: [judgedMetric()], outcomes: CALLS },
  ])("where a metric reads $name", ({ metrics, outcomes }) => {
    const results = runOf(metrics, outcomes);
    expect(results).toMatchObject({ withheldBy: "lost-traces", srm: { status: "passed" }, results: {} });
    expect(results.decision).toBeNull();
    expect(results.health.find(({ code }) => code === "lost-traces")?.severity).toBe("critical");
  });

  test.each([
    { name: "outcomes of another sender", metrics: [sale(null)], outcomes: [...CALLS, sold] },
    { name: "outcomes but none by OpenTelemetry", metrics: [sale(["secret"])], outcomes: [...CALLS, scores] },
  ])("not where metrics read $name", ({ metrics, outcomes }) => {
    const results = runOf(metrics, outcomes);
    expect(results.withheldBy).toBeNull();
    expect(Object.keys(results.results)).toHaveLength(1);
    expect(results.health.find(({ code }) => code === "lost-traces")?.severity).toBe("warning");
  });

  test("by the split first", () => {
    const results = run(
      { metrics: [latency] },
      {},
      {
        ...{ attribution: { ...NO_ATTRIBUTION_FACTS, outcomes: CALLS }, loggedTraces: off },
        periods: [{ startsAt: 0, shares: { control: 0.9, treatment: 0.1 } }],
      },
    );
    expect(results).toMatchObject({ withheldBy: "srm", srm: { status: "halted" } });
    expect(codes(results)).toEqual(expect.arrayContaining(["srm", "lost-traces"]));
  });
});

describe("the traces are read", () => {
  const HOUR_MS = 3_600_000;
  const query = {
    orgId: "o",
    experimentId: "e",
    unit: "user",
    exclusions: [],
    until: 9 * HOUR_MS,
    periodStarts: [1],
  } as const;
  const read = async (outcomes: readonly OutcomeSource[]) => {
    const asked: unknown[] = [];
    const events = {
      async loadLoggedTraces(one: unknown) {
        asked.push(one);
        return users("control", 1, 0);
      },
    };
    const found = await loadLoggedTraces({ ...NO_ATTRIBUTION_FACTS, outcomes }, query, events);
    return { asked, found };
  };

  test("of evaluations that are an hour old, where calls come by OpenTelemetry", async () => {
    const { asked, found } = await read(CALLS);
    expect(asked).toEqual([{ ...query, evaluatedUntil: 8 * HOUR_MS, maxUsers: 10_000 }]);
    expect(found).toHaveLength(1);
  });

  test("nowhere else", async () => {
    const others = [outcome({ source: "secret" }), outcome({ type: "business_event", businessMetric: "m" })];
    expect(await read(others)).toEqual({ asked: [], found: [] });
  });
});
