import {
  DAY_MS,
  dayOf,
  type ExclusionEntry,
  type ExclusionMatch,
  type Experiment,
  type FirstExposureQuery,
  type Json,
  type JudgedSeries,
  type MetricDefinition,
  type NewRun,
  NO_ATTRIBUTION_FACTS,
  PLAN_LIMITS,
  type RunLabel,
  type StoredRun,
  type Variant,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { armHealth, experimentOf, exposure, manual, metric, nightly, until } from "../test-support/runs.ts";
import { analyzeEvents, periodsUntil, planChanges, runExperiment, variantEdits } from "./run-experiment.ts";

interface Situation {
  readonly metrics?: readonly MetricDefinition[];
  readonly label?: RunLabel;
  /** Users of control and of treatment. */
  readonly users?: readonly [number, number];
  readonly nights?: readonly StoredRun[];
  readonly entries?: readonly ExclusionEntry[];
  /** Ids of events that the event store reports as excluded. */
  readonly excluded?: readonly string[];
  /** QA users now, and in the previous version. */
  readonly qaUsers?: readonly string[];
  readonly qaUsersBefore?: readonly string[];
  readonly firstSeen?: Readonly<Record<string, number>>;
  /** What else differed in the previous version. */
  readonly configBefore?: Partial<Experiment["config"]>;
}

/** Runs an experiment over events with the same values in both arms, and records its queries and results. */
async function runOf({
  metrics = [metric("m")],
  label = nightly,
  users = [1000, 1000],
  nights = [],
  entries = [],
  excluded = [],
  qaUsers = [],
  qaUsersBefore = [],
  firstSeen = {},
  configBefore = {},
}: Situation) {
  const stored: NewRun[] = [];
  const asked: FirstExposureQuery[] = [];
  const queried: string[] = [];
  const matches: unknown[] = [];
  const arms = ["control", "treatment"].map((arm, index) => ({ arm, count: users[index]! }));
  const events: Parameters<typeof analyzeEvents>[1] = {
    async loadRun(query) {
      queried.push(...query.metrics.map(({ name }) => name));
      matches.push(query.exclusions);
      const snapshot = {
        exposures: arms.map(({ arm, count }) => exposure(arm, count)),
        metrics: arms.map(({ arm, count }) => sums({ metric: "m", arm }, count, { mean: 10 })),
        outcomes: 0,
        droppedPreExposure: 0,
        variantConflicts: 0,
        firstExposureAt: until - 3_600_000,
      };
      const health = arms.map(({ arm, count }) => armHealth(arm, count));
      return {
        arms: snapshot,
        facts: { health, attribution: NO_ATTRIBUTION_FACTS, sampling: [], agentRuns: null },
      };
    },
    async loadLoggedTraces(query) {
      matches.push(query.exclusions);
      return [];
    },
    async listExcluded(query) {
      matches.push(query.exclusions);
      return new Set(excluded);
    },
    async loadFirstExposures(query) {
      asked.push(query);
      matches.push(query.exclusions);
      return [];
    },
  };
  const calls = ["u1", "u1", "u2"].map((userId, i) => scored({ userId, eventId: `e${i}` }));
  const { summary } = judgedOf(calls);
  const made = experimentOf(metrics);
  const versionWith = (version: number, userIds: readonly string[]) => ({
    ...{ ...made, version, createdBy: "u" },
    config: { ...made.config, qaUsers: { treatment: userIds } },
  });
  const [first, experiment] = [versionWith(1, qaUsersBefore), versionWith(2, qaUsers)];
  const before = { ...first, config: { ...first.config, ...configBefore } };
  const report = await runExperiment(
    experiment,
    { label, until },
    {
      experiments: { listVersions: async () => [experiment, before] },
      exclusions: { list: async () => entries },
      events: {
        loadFirstSeen: async ({ userIds }) =>
          new Map(Object.entries(firstSeen).filter(([userId]) => userIds.includes(userId))),
      },
      results: {
        async put(run) {
          stored.push(run);
          return true;
        },
        listNightlyBefore: async () => nights,
      },
      judgements: {
        summarize: async () => (summary === null ? [] : [summary]),
        listScored: async (_series: JudgedSeries) => calls,
      },
      clock: { now: () => until + 5 },
      limits: PLAN_LIMITS.free,
      codeVersion: "1.2.3",
      loadPrices: async () => ({ asOf: dayOf(0), prices: [] }),
      analyze: (frame) => analyzeEvents(frame, events),
    },
  );
  return { report, stored, asked, queried, matches };
}

const exclusion = (number: number, match: ExclusionMatch = { variant: "a" }): ExclusionEntry => ({
  ...{ number, match, reason: "bots", lifts: null, createdAt: 0 },
  actor: { id: "u", name: "Ada", email: "ada@example.com" },
});

describe("a run", () => {
  test("with rows is computed and stored under its label and cut-off", async () => {
    const { report, stored } = await runOf({});
    expect(report).toMatchObject({ outcome: "computed", detail: null });
    expect(stored).toMatchObject([
      { label: "2026-11-20", preliminary: false, windowTo: until, computedAt: until + 5 },
    ]);
    expect(stored[0]!.body).toBe(report.results);
  });

  test("with a wrong traffic split is withheld and stored", async () => {
    const { report, stored } = await runOf({ users: [1000, 1500] });
    expect(report).toMatchObject({ outcome: "withheld", results: { results: {} } });
    expect(report.detail).toBe("The traffic split differs from the allocation.");
    expect(stored).toHaveLength(1);
  });

  test.each([
    { label: nightly, stores: 0 },
    { label: manual, stores: 1 },
  ])(
    "without a row is collecting, and stored only for a manual run: $label.kind",
    async ({ label, stores }) => {
      const { report, stored } = await runOf({ users: [1, 1], label });
      expect(report.outcome).toBe("collecting");
      expect(report.detail).toMatch(/^m /);
      expect(stored).toHaveLength(stores);
    },
  );

  test("before anybody came says so", async () => {
    const { report } = await runOf({ users: [0, 0] });
    expect(report).toMatchObject({
      outcome: "collecting",
      detail: "No exposure that counts had come by then: the health checks list those that do not count.",
    });
  });

  test("of an experiment without metrics says so", async () => {
    const { report } = await runOf({ metrics: [] });
    expect(report).toMatchObject({ outcome: "collecting", detail: "The experiment has no metrics." });
  });

  test("continues the evidence of earlier nights", async () => {
    const { report } = await runOf({});
    const { "m::treatment": row } = report.results.results;
    const body = { ...report.results, results: { "m::treatment": { ...row, pValueSeq: 0.01 } } };
    const night = { body: body as unknown as Json } as StoredRun;
    const later = await runOf({ nights: [night] });
    expect(later.report.results.results["m::treatment"]?.pValueSeq).toBe(0.01);
  });

  test("continues from the last night with a decision, because nights older than plans have none", async () => {
    const { report } = await runOf({});
    const startedOn = "2026-11-01";
    const nightWith = (decision: object | undefined) =>
      ({ body: { ...report.results, decision } as unknown as Json }) as StoredRun;
    const planned = nightWith({ ...report.results.decision, startedOn });
    const later = await runOf({ nights: [planned, nightWith(undefined)] });
    expect(later.report.results.decision).toMatchObject({ startedOn });
    expect((await runOf({ nights: [nightWith(undefined)] })).report.results.decision).toMatchObject({
      startedOn: "2026-11-20",
    });
  });

  test.each([
    { name: "version of a metric", change: { metrics: [metric("m", { metricVersion: 2 })] } },
    { name: "control", change: { control: "treatment" } },
  ])("does not continue a decision of another $name", async ({ change }) => {
    const { report } = await runOf({});
    const decision = { ...report.results.decision, decidedOn: "2026-11-19", decidedState: "no-difference" };
    const night = { body: { ...report.results, version: 1, decision } as unknown as Json } as StoredRun;
    const decidedOn = async (configBefore: Situation["configBefore"]) =>
      (await runOf({ nights: [night], configBefore })).report.results.decision?.decidedOn;
    expect(await decidedOn({})).toBe("2026-11-19");
    expect(await decidedOn(change)).not.toBe("2026-11-19");
  });

  test.each([
    { name: "all entries that it saw", entries: [exclusion(1)], saw: 1, goesOn: true },
    {
      name: "one more, about later events",
      entries: [exclusion(1), exclusion(2, { from: until })],
      saw: 1,
      goesOn: true,
    },
    { name: "one more, which it did not see", entries: [exclusion(1), exclusion(2)], saw: 1, goesOn: false },
    {
      name: "one, and the night is older than all entries",
      entries: [exclusion(1)],
      saw: undefined,
      goesOn: false,
    },
  ])("continues from a night when the list has $name: $goesOn", async ({ entries, saw, goesOn }) => {
    const { report } = await runOf({});
    const { "m::treatment": row } = report.results.results;
    const body = {
      ...report.results,
      results: { "m::treatment": { ...row, pValueSeq: 0.01 } },
      exclusions: saw,
    };
    const night = { windowTo: until, body: body as unknown as Json } as StoredRun;
    const later = await runOf({ nights: [night], entries });
    expect(later.report.results.results["m::treatment"]?.pValueSeq === 0.01).toBe(goesOn);
  });

  const before = until - DAY_MS;
  test.each<{ name: string; goesOn: boolean } & Pick<Situation, "qaUsers" | "qaUsersBefore" | "firstSeen">>([
    { name: "the same users", qaUsers: ["a"], qaUsersBefore: ["a"], firstSeen: { a: before }, goesOn: true },
    {
      name: "one more, with events before the cut-off",
      qaUsers: ["a"],
      firstSeen: { a: before - 1 },
      goesOn: false,
    },
    { name: "one more, with later events only", qaUsers: ["a"], firstSeen: { a: before }, goesOn: true },
    { name: "one more, without events", qaUsers: ["a"], firstSeen: { b: 0 }, goesOn: true },
    {
      name: "one less, with events before the cut-off",
      ...{ qaUsersBefore: ["a", "b"], qaUsers: ["b"], firstSeen: { a: before - 1, b: 0 }, goesOn: false },
    },
  ])("continues from a night when its QA users were $name: $goesOn", async ({ goesOn, ...situation }) => {
    const { report } = await runOf({});
    const { "m::treatment": row } = report.results.results;
    const results = { "m::treatment": { ...row, pValueSeq: 0.01 } };
    const body = { ...report.results, version: 1, results } as unknown as Json;
    const later = await runOf({ ...situation, nights: [{ windowTo: before, body } as StoredRun] });
    expect(later.report.results.results["m::treatment"]?.pValueSeq === 0.01).toBe(goesOn);
  });

  test("excludes the QA users from every query, and counts those with events", async () => {
    const firstSeen = { a: until - 5, b: until - 9, other: 0 };
    const { report, matches } = await runOf({ qaUsers: ["a", "b", "c"], entries: [exclusion(1)], firstSeen });
    expect(new Set(matches.map((match) => JSON.stringify(match)))).toEqual(
      new Set([JSON.stringify([{ variant: "a" }, { userIds: ["a", "b", "c"] }])]),
    );
    expect(report.results.exclusions).toBe(1);
    expect(report.results.health).toContainEqual({
      ...{ code: "qa-users", severity: "info" },
      detail: "2 QA users set apart, of 3 listed: they are in no arm.",
    });
    const without = await runOf({ qaUsers: ["c"], firstSeen });
    expect(without.report.results.health.filter(({ code }) => code === "qa-users")).toEqual([]);
  });

  test("applies the current exclusions to every query, and stores the number of the last one", async () => {
    const lift = { ...exclusion(3), match: null, lifts: 1 };
    const entries = [lift, exclusion(2, { variant: "b" }), exclusion(1)];
    const { report, matches } = await runOf({ metrics: [metric("m"), judgedMetric()], entries });
    expect(matches).toEqual(Array(3).fill([{ variant: "b" }]));
    expect(report.results.exclusions).toBe(3);
    expect((await runOf({})).report.results.exclusions).toBe(0);
  });

  test("leaves out the judged calls whose events are excluded", async () => {
    const { asked } = await runOf({ metrics: [judgedMetric()], excluded: ["e2"] });
    expect(asked).toMatchObject([{ userIds: ["u1"] }]);
  });

  test("queries the event store for event metrics, and once for each user of judged calls", async () => {
    const { asked, queried } = await runOf({ metrics: [metric("m"), judgedMetric()] });
    expect(queried).toEqual(["m"]);
    expect(asked).toMatchObject([{ userIds: ["u1", "u2"], until, periodStarts: [] }]);
    expect((await runOf({})).asked).toEqual([]);
  });
});

describe("an experiment's versions", () => {
  const version = (
    updatedAt: number,
    change: (variants: readonly Variant[]) => readonly Variant[],
  ): Experiment => {
    const experiment = experimentOf([]);
    const { config } = experiment;
    return { ...experiment, updatedAt, config: { ...config, variants: change(config.variants) } };
  };
  const edit = (key: string, change: Partial<Variant>) => (variants: readonly Variant[]) =>
    variants.map((variant) => (variant.key === key ? { ...variant, ...change } : variant));
  const same = version(10, (variants) => variants);
  const closed = version(20, edit("treatment", { enabled: false }));

  test.each([
    { until: 5, starts: [10] },
    { until: 20, starts: [10] },
    { until: 21, starts: [10, 20] },
  ])(
    "minted before $until start periods at $starts; the first one always does",
    ({ until: cutOff, starts }) => {
      expect(periodsUntil([same, closed], cutOff).map(({ startsAt }) => startsAt)).toEqual(starts);
    },
  );

  test.each<{ what: string; next: Experiment; edits: readonly string[] }>([
    { what: "nothing changes", next: version(20, (variants) => variants), edits: [] },
    {
      what: "only a description changes",
      next: version(20, edit("control", { description: "x" })),
      edits: [],
    },
    { what: "a prompt changes", next: version(20, edit("control", { prompt: "x" })), edits: ["control"] },
    {
      what: "variables change",
      next: version(20, edit("treatment", { variables: { a: 1 } })),
      edits: ["treatment"],
    },
    { what: "a variant is closed", next: closed, edits: ["treatment"] },
    {
      what: "a variant is added",
      next: version(20, (variants) => [...variants, { ...variants[0]!, key: "new" }]),
      edits: [],
    },
  ])("edit $edits when $what", ({ next, edits }) => {
    expect(variantEdits([same, next])).toEqual(edits.map((variant) => ({ variant, at: 20 })));
  });

  test("list the plan's changes with their reasons, without the horizon set at the start", () => {
    const planned = (updatedAt: number, plan: Partial<Experiment["config"]["plan"]>): Experiment => {
      const { config, ...rest } = version(updatedAt, (variants) => variants);
      return { ...rest, config: { ...config, plan: { ...config.plan, ...plan } } };
    };
    const versions = [
      planned(10, { horizonWeeks: null }),
      planned(20, {}),
      planned(30, {}),
      planned(40, { horizonWeeks: 3, reason: "slow traffic" }),
      // Changed by an older version of Assay, which required no reason.
      planned(50, { horizonWeeks: 4 }),
      planned(60, { horizonWeeks: 4 }),
    ];
    expect(planChanges(versions)).toEqual([
      { at: 40, reason: "slow traffic" },
      { at: 50, reason: "" },
    ]);
  });
});
