import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  createMetric,
  DAY_MS,
  dayOf,
  type EventStore,
  firstVersion,
  type MetricDefinition,
  NO_VALUES,
  PLAN_LIMITS,
  type StoredEvent,
} from "@assay/domain";
import { analyzeEvents, type JudgedMetric, type RunFrame, replayEvents } from "@assay/pipeline";
import { clickhouseEventStore, startEmbeddedClickHouse } from "@assay/storage";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import { createPipelineThreads, type PipelineSetup, type PipelineThreads } from "./pipeline-threads.ts";

const start = Date.UTC(2026, 10, 1);
const silent = { info() {}, warn() {}, error() {} };
const dataDir = mkdtempSync(join(tmpdir(), "assay-threads-"));
const cleanUp: (() => Promise<void>)[] = [];
let setup: PipelineSetup;
let events: EventStore;
let threads: PipelineThreads;

beforeAll(async () => {
  const engine = await startEmbeddedClickHouse({ dataDir, log: silent });
  setup = { events: { url: engine.url, username: engine.username, password: engine.password } };
  events = clickhouseEventStore(setup.events);
  await events.migrate();
  await events.append(["x1", "x2", "x3"].flatMap(eventsOf));
  threads = createPipelineThreads(setup, 1);
  cleanUp.push(
    () => threads.close(),
    () => events.close(),
    () => engine.close(),
  );
});
afterAll(async () => {
  for (const step of cleanUp) await step();
  rmSync(dataDir, { recursive: true, force: true });
});

/** 600 users, odd ones in treatment: an exposure and two calls each. */
function eventsOf(experimentId: string): StoredEvent[] {
  return Array.from({ length: 600 }, (_, user) => {
    const base = {
      ...NO_VALUES,
      orgId: "o",
      experimentId,
      userId: `user-${user}`,
      receivedAt: start + DAY_MS,
      variant: user % 2 === 0 ? "control" : "treatment",
    };
    const at = start + user * 1000;
    const call = (n: number) => ({
      ...base,
      eventId: `${experimentId}-${user}-call-${n}`,
      type: "model_call" as const,
      occurredAt: at + n,
      latencyMs: 100 + ((user * 7919 + n * 104_729) % 1000) + (user % 2) * 60,
    });
    return [
      { ...base, eventId: `${experimentId}-${user}`, type: "exposure" as const, occurredAt: at },
      call(1),
      call(2),
    ];
  }).flat();
}

const latency = createMetric({
  name: "latency",
  kind: "ratio",
  category: "latency",
  methodDefault: "auto",
  metricVersion: 1,
  sharedOrgWide: false,
});
const METRICS: readonly MetricDefinition[] = [
  latency,
  { ...latency, name: "p95", kind: "quantile" as const },
  { ...latency, name: "total", kind: "mean" as const, methodDefault: "cluster_bootstrap" as const },
  {
    ...latency,
    name: "quality",
    source: { event: "judge" as const },
    judge: { rubric: "Is it right?", scale: "1-5" as const, sampleRate: 1 },
    margin: 1,
  },
];

/** Everybody's first call is judged, a quarter of them labelled. */
const judgedOf = (experimentId: string): JudgedMetric => ({
  metric: "quality",
  summary: {
    ...{ orgId: "o", experimentId, metric: "quality", metricVersion: 1, judgeVersion: "judge@1" },
    ...{ firstDay: dayOf(start), lastDay: dayOf(start), arms: {}, backlog: 0, oldestPendingAt: null },
    ...{ failures: [], evaluations: 600, evaluationsSince: 0, costUsd: 0, costUsdSince: 0, unpriced: 0 },
    lastLabelledAt: null,
  },
  calls: Array.from({ length: 600 }, (_, user) => ({
    eventId: `${experimentId}-${user}-call-1`,
    userId: `user-${user}`,
    arm: user % 2 === 0 ? "control" : "treatment",
    occurredAt: start + user * 1000 + 1,
    probability: 1 / (1 + (user % 3)),
    score: 1 + ((user * 7919) % 5),
    repeatScore: null,
    isCut: false,
    answerLength: 100 + (user % 17),
    label: user % 8 < 2 ? 1 + ((user * 104_729) % 5) : null,
  })),
});

function frameOf(id: string, change: Partial<RunFrame> = {}, metrics = METRICS): RunFrame {
  const allocation = ["control", "treatment"].map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({ name: id, salt: "s", bucketCount: 1000, allocation, metrics });
  const until = start + DAY_MS;
  return {
    experiment: {
      ...{ id, orgId: "o", version: 1, servedAt: 1, createdAt: 0, updatedAt: 0, isDemo: false },
      ...content,
    },
    periods: [{ startsAt: 0, shares: { control: 0.5, treatment: 0.5 } }],
    variantEdits: [],
    decision: null,
    planChanges: [],
    qaUsersSeen: new Map(),
    label: { kind: "manual", at: until },
    until,
    computedAt: until,
    limits: PLAN_LIMITS.pro,
    codeVersion: "1",
    prices: { asOf: dayOf(0), prices: [] },
    judged: [judgedOf(id)],
    nights: [],
    exclusions: { last: 0, matches: [] },
    ...change,
  };
}

/** Permutations would be seconds of CPU, where it does not matter what is computed. */
const QUICK = [{ ...latency, kind: "mean" as const, methodDefault: "welch_t" as const }];
const quickFrameOf = (id: string, change: Partial<RunFrame> = {}) =>
  frameOf(id, { judged: [], ...change }, QUICK);

test("gives what the pure function gives, and lets the event loop run meanwhile", async () => {
  let turns = 0;
  let isCounting = true;
  const count = () => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const results = await threads.analyze(frameOf("x1"));
  isCounting = false;
  expect(Object.values(results.results).map(({ metric, test }) => [metric, test])).toEqual([
    ["latency", "permutation"],
    ["p95", "cluster_quantile"],
    ["total", "cluster_bootstrap"],
    ["quality", "ppi_z"],
  ]);
  expect(results).toEqual(await analyzeEvents(frameOf("x1"), events));
  expect(turns).toBeGreaterThan(10);
});

test.runIf(isNight())("replays beside runs", async () => {
  // A thousand bootstraps are a second of CPU each time.
  const frame = frameOf(
    "x1",
    {},
    METRICS.filter(({ name }) => name !== "total"),
  );
  const [replay, results] = await Promise.all([threads.replay(frame), threads.analyze(frame)]);
  expect(replay.metrics.map(({ metric, test }) => [metric, test])).toEqual([
    ["latency", "permutation"],
    // A half has too few users for this quantile, and too few labels.
    ["p95", null],
    ["quality", "permutation"],
  ]);
  expect(replay).toEqual(await replayEvents(frame, events));
  expect(results.experimentId).toBe("x1");
});

test("a run starts before waiting replays", async () => {
  const done: string[] = [];
  const replay = (id: string) => threads.replay(quickFrameOf(id)).then(() => done.push(`replay ${id}`));
  const jobs = [replay("x1"), replay("x2")];
  jobs.push(threads.analyze(quickFrameOf("x3")).then(() => done.push("run")));
  await Promise.all(jobs);
  expect(done).toEqual(["replay x1", "run", "replay x2"]);
});

test("any number of threads gives the same bytes, and so does a rerun", async () => {
  const three = createPipelineThreads(setup, 3);
  const runs = ["x1", "x2", "x1"].map((id) => frameOf(id));
  const inTurn: string[] = [];
  for (const frame of runs) inTurn.push(JSON.stringify(await threads.analyze(frame)));
  const sideBySide = await Promise.all(runs.map(async (frame) => JSON.stringify(await three.analyze(frame))));
  await three.close();
  expect(sideBySide).toEqual(inTurn);
  expect(inTurn[2]).toBe(inTurn[0]);
  expect(new Set(inTurn).size).toBe(2);
});

test("a thread that was prepared does the job that comes", async () => {
  let started = 0;
  const count = () => {
    started += 1;
  };
  process.on("worker", count);
  const prepared = createPipelineThreads(setup, 2);
  try {
    prepared.prepare();
    prepared.prepare();
    await nextTurn();
    expect(started).toBe(1);
    expect((await prepared.analyze(quickFrameOf("x1"))).experimentId).toBe("x1");
    await prepared.close();
    prepared.prepare();
    await nextTurn();
    expect(started).toBe(1);
  } finally {
    process.off("worker", count);
    await prepared.close();
  }
});

test("answers every one of many calls with its own result", async () => {
  const answers = await Promise.all(
    ["a", "b", "c"].map((id, computedAt) => threads.analyze(quickFrameOf(id, { computedAt }))),
  );
  expect(answers.map(({ experimentId, computedAt }) => [experimentId, computedAt])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
});

test("a run that breaks fails alone", async () => {
  const broken = threads.analyze(quickFrameOf("x1", { periods: null as never }));
  const fine = threads.analyze(quickFrameOf("x2"));
  await expect(broken).rejects.toThrow("null");
  expect((await fine).srm.status).toBe("passed");
});

test("an event store that is down is said as such", async () => {
  const nowhere = { ...setup.events, url: "http://127.0.0.1:9" };
  const lost = createPipelineThreads({ events: nowhere }, 1);
  await expect(lost.analyze(quickFrameOf("x1"))).rejects.toMatchObject({ kind: "storage-unavailable" });
  await lost.close();
});

test("a call while an idle thread ends is answered by a new one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await threads.analyze(quickFrameOf("x1"));
    vi.advanceTimersByTime(60_000);
    expect((await threads.analyze(quickFrameOf("x3"))).experimentId).toBe("x3");
  } finally {
    vi.useRealTimers();
  }
});

test("the end of all cuts what is under way off, and nothing begins after it", async () => {
  const cut = [threads.analyze(quickFrameOf("x1")), threads.analyze(quickFrameOf("x2"))];
  const failed = Promise.all(cut.map((run) => expect(run).rejects.toThrow("stopped")));
  const ending = threads.close();
  await expect(threads.analyze(quickFrameOf("x3"))).rejects.toThrow("stopped");
  await Promise.all([failed, ending]);
});
