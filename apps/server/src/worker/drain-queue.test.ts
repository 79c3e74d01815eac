import {
  compileTimeline,
  createConfig,
  type Experiment,
  type QueuedBatch,
  type StoredEvent,
} from "@assay/domain";
import { pino } from "pino";
import { Counter } from "prom-client";
import { expect, test, vi } from "vitest";
import type { OrgSnapshot } from "../config/snapshots.ts";
import { noTracing } from "../tracing/tracing.ts";
import { startQueueDrain } from "./drain-queue.ts";
import { waitForDrain } from "./wait-for-drain.ts";

/** An experiment of one bucket that nobody owns. */
const CONFIG = {
  ...{ name: "exp", salt: "s", bucketCount: 1, metrics: [] },
  allocation: [{ variant: "control", weight: 1 }],
};

const SOON = { timeout: 80_000, interval: 20 };
const log = pino({ level: "silent" });

function snapshotOf(configVersion: number, experimentIds: readonly string[]): OrgSnapshot {
  const entries = experimentIds.map((id) => {
    const timeline = compileTimeline([
      { id, config: createConfig(CONFIG), bucketMap: [{ start: 0, end: 1, variant: null }], updatedAt: 0 },
    ]);
    return [id, { experiment: { id } as Experiment, timeline, claimed: new Set<number>() }] as const;
  });
  return { orgId: "o", configVersion, experiments: new Map(entries) } as unknown as OrgSnapshot;
}

const event = {
  event_id: "1",
  type: "exposure",
  experiment_id: "new",
  user_id: "u",
  timestamp: 1,
  variant: "a",
};
const batch: QueuedBatch = {
  sequence: 1,
  orgId: "o",
  receivedAt: 1,
  rejected: [],
  experiments: { new: "new" },
  configVersion: 2,
  body: Buffer.from(JSON.stringify([event])),
};

/** So large that more is waiting. */
const large = (sequence: number): QueuedBatch => ({
  ...{ ...batch, sequence },
  body: Buffer.from(`[${JSON.stringify(event)}]${" ".repeat(2 ** 20)}`),
});

interface DrainSteps {
  readonly first?: QueuedBatch;
  readonly onRead?: () => void;
  readonly onStore?: () => Promise<void>;
  readonly onStored?: () => void;
}

/** A drain of one batch over snapshots that are read as `read` says. */
function drainOne(
  known: OrgSnapshot,
  read: () => OrgSnapshot,
  { first = batch, onRead = () => {}, onStore = async () => {}, onStored = () => {} }: DrainSteps = {},
) {
  const stored: StoredEvent[] = [];
  const waiting = [first];
  let claimed = 0;
  /** When each was acknowledged. */
  const flushes: number[] = [];
  const queue = {
    waitForBatch: () => new Promise<void>((resolve) => setTimeout(resolve, 5)),
    newestSequence: async () => Number.POSITIVE_INFINITY,
    isDrainedTo: async () => false,
    depth: async () => ({ batches: waiting.length, bytes: 2 ** 20, oldestReceivedAt: 1 }),
    claim: async () => {
      const batches = waiting.filter(({ sequence }) => sequence > claimed);
      claimed = batches.at(-1)?.sequence ?? claimed;
      return batches;
    },
    ack: async ({ length }: readonly QueuedBatch[]) => {
      waiting.splice(0, length);
      flushes.push(performance.now());
    },
  };
  let loaded: OrgSnapshot | undefined = known;
  const snapshots = {
    peek: () => {
      onRead();
      return loaded;
    },
    get: async () => {
      loaded = read();
      return loaded;
    },
    invalidate: () => {
      loaded = undefined;
    },
  };
  const guardSums = {
    append: async (rows: readonly StoredEvent[]) => {
      await onStore();
      stored.push(...rows);
    },
  };
  const deps = {
    queue,
    snapshots,
    guardSums,
    log,
    tracing: noTracing,
    meter: { touch: onStored },
  } as unknown as Parameters<typeof startQueueDrain>[0];
  const counter = (name: string) => new Counter({ name, help: name, registers: [] });
  const metrics = { eventsStored: counter("stored"), storeFailures: counter("failures") };
  const drain = startQueueDrain({ ...deps, metrics: { ...deps.metrics, ...metrics } });
  return { stored, waiting, flushes, drain, queue };
}

test("events that another process accepted of an experiment unknown here are stored once its config is read", async () => {
  const { stored, waiting, drain } = drainOne(snapshotOf(1, []), () => snapshotOf(2, ["new"]));
  await vi.waitFor(() => expect(waiting).toEqual([]), SOON);
  expect(stored).toMatchObject([{ experimentId: "new", eventId: "1" }]);
  await drain.stop();
});

test("they wait in the queue while that config cannot be read", async () => {
  const old = snapshotOf(1, []);
  let reads = 0;
  const { stored, waiting, drain } = drainOne(old, () => {
    reads += 1;
    return reads < 3 ? old : snapshotOf(2, ["new"]);
  });
  await vi.waitFor(() => expect(reads).toBe(2), SOON);
  expect([stored, waiting]).toEqual([[], [batch]]);
  await vi.waitFor(() => expect(waiting).toEqual([]), SOON);
  expect(stored).toHaveLength(1);
  await drain.stop();
});

test("of a long queue, the next batches are read while the event store works on the last, and no more than these", async () => {
  const steps: string[] = [];
  const finish: (() => void)[] = [];
  const one = drainOne(snapshotOf(2, ["new"]), () => snapshotOf(2, ["new"]), {
    first: large(1),
    onRead: () => steps.push("read"),
    onStore: () => new Promise<void>((resolve) => finish.push(resolve)),
  });
  const afterReads = (reads: number) =>
    vi.waitFor(() => expect([steps.length, finish.length]).toEqual([reads, reads]), SOON);
  await afterReads(1);
  one.waiting.push(large(2));
  await afterReads(2);
  one.waiting.push(large(3));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(steps).toHaveLength(2);
  finish[0]!();
  await vi.waitFor(() => expect(one.flushes).toHaveLength(1), SOON);
  await afterReads(3);
  one.waiting.push(large(4));
  const stopped = one.drain.stop();
  for (const each of finish) each();
  await stopped;
  // What was not taken yet stays in the queue.
  expect(one.waiting.map(({ sequence }) => sequence)).toEqual([4]);
  expect(one.stored).toHaveLength(3);
});

test("a fault after a large flush is forgotten by the next ones", async () => {
  let flushes = 0;
  const one = drainOne(snapshotOf(2, ["new"]), () => snapshotOf(2, ["new"]), {
    first: large(1),
    onStored: () => {
      flushes += 1;
      if (flushes === 1) throw new Error("once");
    },
  });
  for (let sequence = 2; sequence < 5; sequence++) {
    await vi.waitFor(() => expect(flushes).toBe(sequence - 1), SOON);
    one.waiting.push(large(sequence));
  }
  await vi.waitFor(() => expect(flushes).toBe(4), SOON);
  await one.drain.stop();
  expect(one.stored).toHaveLength(4);
});

test("stops at once although no batch comes", async () => {
  const queue = { waitForBatch: () => new Promise<void>(() => {}) };
  const drain = startQueueDrain({ queue, log } as unknown as Parameters<typeof startQueueDrain>[0]);
  await drain.stop();
});

test("a batch after a quiet time is stored at once, the next ones together after a pause", async () => {
  const { waiting, drain, flushes } = drainOne(snapshotOf(2, ["new"]), () => snapshotOf(2, ["new"]));
  const startedAt = performance.now();
  await vi.waitFor(() => expect(flushes).toHaveLength(1), SOON);
  waiting.push({ ...batch, sequence: 2 }, { ...batch, sequence: 3 });
  await vi.waitFor(() => expect(flushes).toHaveLength(2), SOON);
  const [first, second] = flushes as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(499);
  expect(first - startedAt).toBeLessThan(second - first);
  await drain.stop();
});

test("while somebody waits until the queue is drained, nothing pauses", async () => {
  const one = drainOne(snapshotOf(2, ["new"]), () => snapshotOf(2, ["new"]));
  const stopped = new AbortController();
  const waited = waitForDrain(SOON.timeout, one, stopped.signal);
  // With pauses, so many flushes take longer than the test may.
  for (let flushed = 1; flushed < 200; flushed++) {
    await vi.waitFor(() => expect(one.flushes).toHaveLength(flushed), { ...SOON, interval: 1 });
    one.waiting.push({ ...batch, sequence: flushed + 1 });
  }
  stopped.abort();
  expect(await waited).toBe(false);
  await one.drain.stop();
}, 80_000);
