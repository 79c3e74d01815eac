import {
  type ArmMetric,
  type ArmSnapshot,
  dayOf,
  type ExclusionEntry,
  type Experiment,
  type MetricDefinition,
  NO_ATTRIBUTION_FACTS,
  PLAN_LIMITS,
  type StoredRun,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { RunFrame } from "../run-frame.ts";
import { callers, calls, people, users } from "../test-support/arms.ts";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { experimentOf, exposure, metric, nightly, until } from "../test-support/runs.ts";
import type { MetricEvents, RunEvents } from "./read-run-events.ts";
import { readRowEvidence } from "./row-evidence.ts";
import { analyzeEvents, loadFrameOfRun, runOf } from "./run-experiment.ts";

const ARMS = ["control", "treatment", "other"];
const halves = { control: 0.5, treatment: 0.5, other: 0.5 };

const frameOf = (metrics: readonly MetricDefinition[], change: Partial<RunFrame> = {}): RunFrame => ({
  experiment: experimentOf(metrics, ARMS),
  periods: [{ startsAt: 0, shares: halves }],
  variantEdits: [],
  label: nightly,
  until,
  computedAt: until,
  limits: PLAN_LIMITS.free,
  codeVersion: "1.2.3",
  prices: { asOf: dayOf(0), prices: [] },
  judged: [],
  nights: [],
  decision: null,
  planChanges: [],
  qaUsersSeen: new Map(),
  exclusions: { last: 0, matches: [] },
  ...change,
});

/** Returns a sample with the users' ids, as the event store does on request. */
const named = (row: ArmMetric): ArmMetric => {
  const { sample, arm, period } = row;
  const count = sample?.type === "bins" ? sample.offsets.length - 1 : (sample?.y.length ?? 0);
  const userIds = Array.from({ length: count }, (_, i) => `${arm}-${period}-${i}`);
  return { ...row, sample: sample && { ...sample, userIds } };
};

function storeOf(rows: readonly ArmMetric[], asked: unknown[] = []): MetricEvents & RunEvents {
  const snapshot: ArmSnapshot = {
    exposures: ARMS.map((arm) => exposure(arm, 300)),
    metrics: rows.map(named),
    ...{ outcomes: 0, droppedPreExposure: 0, variantConflicts: 0, firstExposureAt: until - 7_200_000 },
  };
  return {
    loadArms: async ({ sample, exclusions }) => {
      asked.push(sample, exclusions);
      return snapshot;
    },
    loadRun: async () => ({
      arms: snapshot,
      facts: { health: [], attribution: NO_ATTRIBUTION_FACTS, sampling: [], agentRuns: null },
    }),
    loadLoggedTraces: async () => [],
    loadFirstExposures: async ({ userIds }) =>
      userIds.map((userId) => ({
        ...{ userId, period: 0, at: until - 7_200_000, isContaminated: false },
        arm: ARMS.find((arm) => userId.startsWith(`u-${arm}`)) ?? "control",
      })),
    listExcluded: async () => new Set(["control-0"]),
  };
}

const rowsOf = (name: string, period = 0) =>
  ARMS.map((arm, i) => users({ metric: name, arm, period }, people(period + i + 1, i)));

describe("the evidence of a row", () => {
  test("has the users of both arms with their values, and the row that a run computes from them", async () => {
    const mean = metric("m");
    const asked: unknown[] = [];
    const store = storeOf(rowsOf("m"), asked);
    const frame = frameOf([mean, metric("n")]);
    const evidence = await readRowEvidence(frame, { metric: mean, treatment: "treatment" }, store);
    expect(asked).toEqual([
      { maxUsersPerArm: PLAN_LIMITS.free.maxSamplePerArm, preDays: 14, withUserIds: true },
      [],
    ]);
    const run = await analyzeEvents(frame, store);
    const { effect, ciLow, pValue, nPerArm } = run.results["m::treatment"]!;
    expect(evidence?.row).toMatchObject({ effect, ciLow, pValue, nPerArm });
    expect(evidence).toMatchObject({ isComplete: true, lines: { type: "values" } });
    const { lines } = evidence!.lines;
    expect(lines).toHaveLength(600);
    expect(lines[0]).toEqual({
      ...{ userId: "control-0-0", arm: "control", period: 0, stratum: 0 },
      ...{ y: people(1)[0]!.y, d: 1, preY: Number.NaN, preD: Number.NaN },
    });
    expect(new Set(lines.map(({ arm }) => arm))).toEqual(new Set(["control", "treatment"]));
    expect(evidence!.sums.map(({ arm, stratum, users: n }) => [arm, stratum, n])).toEqual([
      ["control", 0, 300],
      ["treatment", 0, 300],
    ]);
  });

  test("says when the users are only a sample, because the row comes from the sums", async () => {
    const mean = metric("m");
    const rows = ARMS.map((arm, i) => users({ metric: "m", arm }, people(i + 1), 100));
    const key = { metric: mean, treatment: "treatment" };
    const evidence = await readRowEvidence(frameOf([mean]), key, storeOf(rows));
    expect(evidence).toMatchObject({ isComplete: false, row: { test: "welch_t" } });
    expect(evidence!.lines.lines).toHaveLength(200);
  });

  test("leaves out the users of periods in which the arms are not compared, and numbers the strata", async () => {
    const mean = metric("m");
    const periods = [
      { startsAt: 0, shares: halves },
      { startsAt: 1, shares: { control: 1, treatment: 0 } },
      { startsAt: 2, shares: { control: 0.8, treatment: 0.2 } },
    ];
    const rows = [0, 1, 2].flatMap((period) => rowsOf("m", period));
    const frame = frameOf([mean], { periods });
    const evidence = await readRowEvidence(frame, { metric: mean, treatment: "treatment" }, storeOf(rows));
    const places = evidence!.lines.lines.map(({ period, stratum }) => `${period} ${stratum}`);
    expect([...new Set(places)]).toEqual(["0 0", "2 1"]);
  });

  test("has the calls of a quantile's users by bin", async () => {
    const p50 = metric("p50", { kind: "quantile", quantile: 0.5 });
    const rows = ARMS.map((arm, i) => callers({ metric: "p50", arm }, calls(i + 1)));
    const key = { metric: p50, treatment: "other" };
    const evidence = await readRowEvidence(frameOf([p50]), key, storeOf(rows));
    expect(evidence).toMatchObject({ isComplete: true, lines: { type: "bins" } });
    const counts = evidence!.lines.lines.map((line) =>
      "calls" in line ? line.calls.reduce((sum, [, count]) => sum + count, 0) : 0,
    );
    expect(counts).toEqual([...calls(1), ...calls(3)].map(({ length }) => length));
  });

  test("has the weights, scores and labels of judged calls, without excluded calls", async () => {
    const quality = judgedMetric();
    const made = ARMS.flatMap((arm) =>
      Array.from({ length: 210 }, (_, i) =>
        scored({
          ...{ eventId: `${arm}-${i}`, arm, probability: 0.25, score: i % 3 === 0 ? 0 : 1 },
          label: i < 60 ? i % 2 : null,
        }),
      ),
    );
    const frame = frameOf([quality], { judged: [judgedOf(made)] });
    const key = { metric: quality, treatment: "treatment" };
    const evidence = await readRowEvidence(frame, key, storeOf([]));
    expect(evidence).toMatchObject({
      row: { test: "ppi_z" },
      isComplete: true,
      lines: { type: "calls" },
    });
    const { lines } = evidence!.lines;
    expect(lines).toHaveLength(419);
    expect(lines.find(({ userId }) => userId === "u-control-1")).toEqual({
      ...{ userId: "u-control-1", arm: "control", period: 0, stratum: 0 },
      ...{ weight: 4, score: 1, label: 1 },
    });
    expect(lines.some(({ userId }) => userId === "u-control-0")).toBe(false);
  });

  test("has all calls of a user, who is still one", async () => {
    const quality = judgedMetric();
    const made = ARMS.flatMap((arm) =>
      Array.from({ length: 210 }, (_, i) =>
        scored({ eventId: `${arm}-${i}`, userId: `u-${arm}-${i % 105}`, arm, score: i % 3 === 0 ? 0 : 1 }),
      ),
    );
    const frame = frameOf([quality], { judged: [judgedOf(made)] });
    const key = { metric: quality, treatment: "treatment" };
    const evidence = await readRowEvidence(frame, key, storeOf([]));
    expect(evidence).toMatchObject({ isComplete: true, row: { nPerArm: { control: 105, treatment: 105 } } });
    expect(evidence!.lines.lines).toHaveLength(419);
  });

  test("is null when too little data is left for a row", async () => {
    const mean = metric("m");
    const rows = ARMS.map((arm) => users({ metric: "m", arm }, people(1).slice(0, 10)));
    const key = { metric: mean, treatment: "treatment" };
    expect(await readRowEvidence(frameOf([mean]), key, storeOf(rows))).toBeNull();
  });
});

describe("the frame of a stored run", () => {
  const first: Experiment = { ...experimentOf([metric("m")]), version: 1 };
  const withQa = { ...first, config: { ...first.config, qaUsers: { treatment: ["qa"] } } };
  const second: Experiment = { ...experimentOf([metric("new")]), version: 2, updatedAt: until + 1 };
  const entry = (number: number): ExclusionEntry => ({
    ...{ number, reason: "r", createdAt: 0, lifts: null },
    actor: { id: "a", name: "a", email: "a" },
    match: { userIds: [`u${number}`] },
  });
  const deps: Parameters<typeof loadFrameOfRun>[1] = {
    experiments: { listVersions: async () => [second, withQa].map((one) => ({ ...one, createdBy: "o" })) },
    exclusions: { list: async () => [entry(1), entry(2)] },
    results: { put: async () => true, listNightlyBefore: async () => [] },
    judgements: { summarize: async () => [], listScored: async () => [] },
    clock: { now: () => until },
    limits: PLAN_LIMITS.free,
    codeVersion: "1.2.3",
    loadPrices: async () => ({ asOf: dayOf(0), prices: [] }),
  };
  const stored = async (change: object): Promise<StoredRun> => {
    const results = await analyzeEvents(frameOf([metric("m")]), storeOf(rowsOf("m")));
    const run = runOf(first, { ...results, ...change });
    return { ...run, revision: 1, revisions: 1 };
  };

  test("has the version, the exclusions and the cut-off of the run, not those of today", async () => {
    const frame = await loadFrameOfRun(await stored({ exclusions: 1 }), deps);
    expect(frame.experiment.config.metrics.map(({ name }) => name)).toEqual(["m"]);
    expect(frame).toMatchObject({
      ...{ until, label: nightly, periods: [{}] },
      exclusions: { last: 1, matches: [{ userIds: ["u1"] }, { userIds: ["qa"] }] },
    });
    expect(frame.decision).not.toBeNull();
  });

  test("of a run older than decision plans has no decision", async () => {
    expect((await loadFrameOfRun(await stored({ decision: undefined }), deps)).decision).toBeNull();
  });

  test("of a manual run from before exclusions existed", async () => {
    const frame = await loadFrameOfRun(await stored({ preliminary: true, exclusions: undefined }), deps);
    expect(frame.label).toEqual({ kind: "manual", at: until });
    expect(frame.exclusions).toEqual({ last: 0, matches: [{ userIds: ["qa"] }] });
  });
});
