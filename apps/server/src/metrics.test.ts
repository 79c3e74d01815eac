import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

const DOCUMENT = join(import.meta.dirname, "../../../docs/metrics.md");

const pipelineDay = {
  day: "2026-11-20",
  finishedAt: 1_795_000_000_000,
  outcomes: { computed: 2, failed: 1 },
};
const sources: Parameters<typeof createMetrics>[0] = {
  queue: {
    depth: async () => ({ batches: 3, bytes: 4_096, oldestReceivedAt: 40_000 }),
    countBuried: async () => 2,
  },
  control: {
    connections: () => ({ inUse: 4, waiting: 1, max: 10 }),
    judgements: { countPending: async () => 7 },
    admin: { findLastPipelineDay: async () => pipelineDay },
  },
  checkDependencies: async () => [
    { name: "control_plane", latencyMs: 1, fault: null },
    { name: "event_store", latencyMs: 1, fault: "The event store does not answer." },
    { name: "queue", latencyMs: 1, fault: null },
  ],
  now: () => 100_000,
  build: { version: "1.2.3", role: "worker" },
};

/** Far longer than a turn of a test's own. */
const STALL_MS = 300;

interface Described {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

const describeAll = async () =>
  (await createMetrics(sources).registry.getMetricsAsJSON()) as unknown as readonly Described[];
const own = async () => (await describeAll()).filter(({ name }) => name.startsWith("assay_"));

test("every metric says what it is", async () => {
  for (const { name, help } of await describeAll()) expect([name, help.length > 8]).toEqual([name, true]);
  for (const { name, help } of await own()) expect([name, help.at(-1)]).toEqual([name, "."]);
});

test("the lag of the event loop is the longest turn since the last scrape", async () => {
  const { registry } = createMetrics(sources);
  const longest = async () => {
    const text = await registry.metrics();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
  };
  await longest();
  await nextTurn();
  const until = performance.now() + STALL_MS;
  while (performance.now() < until);
  await nextTurn();
  const stalled = await longest();
  expect(stalled).toBeGreaterThanOrEqual(STALL_MS / 1_000);
  await nextTurn();
  expect(await longest()).toBeLessThan(stalled);
});

test("the document lists exactly the metrics that there are, with their types", async () => {
  const rows = [...readFileSync(DOCUMENT, "utf8").matchAll(/^\| `(assay_\w+)` \| (\w+) \|/gm)];
  const documented = rows.map(([, name, type]) => `${name} ${type}`).sort();
  expect(documented).toEqual((await own()).map(({ name, type }) => `${name} ${type}`).sort());
});

test("gauges tell what the engines say when they are scraped", async () => {
  const text = await createMetrics(sources).registry.metrics();
  for (const line of [
    "assay_queue_batches 3",
    "assay_queue_bytes 4096",
    "assay_queue_age_seconds 60",
    "assay_dead_letters 2",
    "assay_judge_backlog 7",
    "assay_nightly_finished_timestamp_seconds 1795000000",
    "assay_nightly_failed_experiments 1",
    "assay_database_connections_in_use 4",
    "assay_database_connections_max 10",
    "assay_database_waiting 1",
    'assay_dependency_up{dependency="event_store"} 0',
    'assay_dependency_up{dependency="queue"} 1',
    'assay_build_info{version="1.2.3",role="worker"} 1',
    "assay_leader 0",
    'assay_events_rejected_total{reason="allowance"} 0',
    'assay_nightly_runs_total{outcome="failed"} 0',
  ])
    expect(text.split("\n")).toContain(line);
});

test("an engine that fails or hangs leaves the other metrics as they are, and its own at the last number", async () => {
  let isDown = false;
  const { registry } = createMetrics({
    ...sources,
    queue: {
      depth: () => (isDown ? new Promise(() => {}) : sources.queue.depth()),
      countBuried: () => (isDown ? Promise.reject(new Error("down")) : sources.queue.countBuried()),
    },
  });
  await registry.metrics();
  isDown = true;
  const lines = (await registry.metrics()).split("\n");
  expect(lines).toContain("assay_queue_batches 3");
  expect(lines).toContain("assay_dead_letters 2");
  expect(lines).toContain("assay_judge_backlog 7");
});

test("no label is a caller's choice", async () => {
  const { registry } = createMetrics(sources);
  const names = new Set(
    [...(await registry.metrics()).matchAll(/^assay_\w+\{([^}]*)\}/gm)].flatMap(([, labels = ""]) =>
      [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
    ),
  );
  for (const label of names)
    expect([
      "le",
      "reason",
      "outcome",
      "dependency",
      "version",
      "role",
      "method",
      "route",
      "status",
    ]).toContain(label);
});
