import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { QueuedBatch } from "@assay/domain";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { describeError, type StoreDeps, storeBatches } from "./store-batches.ts";

type DrainDeps = StoreDeps & Pick<Deps, "metrics" | "meter" | "tracing">;

const MAX_BATCHES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** A flush is due this long after the last one, or at once when this many bytes came with it (engines.md: few, large inserts). */
const FLUSH_INTERVAL_MS = 500;
const FLUSH_BYTES = 1024 * 1024;
const IDLE_WAIT_MS = 1_000;
const QUEUE_RETRY_MS = 1_000;

/** The consumer of the ingest queue. */
export interface QueueDrain {
  /** Finishes the flush under way and stops. What is not stored stays in the queue for the next start or another worker. */
  stop(): Promise<void>;
}

/**
 * Moves accepted batches into the event store, for as long as the service runs and beside the drains of other processes.
 * Redelivery is harmless: both ends are idempotent.
 */
export function startQueueDrain(deps: DrainDeps): QueueDrain {
  const stopping = new AbortController();
  const done = runAs({ task: "queue-drain" }, () => drainUntil(stopping.signal, deps));
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function drainUntil(stopping: AbortSignal, deps: DrainDeps): Promise<void> {
  let isBehind = false;
  while (!stopping.aborted) {
    try {
      const batches = await nextBatches(isBehind, stopping, deps);
      isBehind = bytesOf(batches) >= FLUSH_BYTES;
      if (batches.length > 0) await store(batches, stopping, deps);
    } catch (error) {
      // The queue itself: the store's faults never come here.
      deps.log.error(describeError(error), "the queue of accepted events does not answer");
      await pause(QUEUE_RETRY_MS, stopping);
    }
  }
}

/** Waits until some batches are worth an insert; sooner when the last ones were a full load, since more waits then. */
async function nextBatches(
  isBehind: boolean,
  stopping: AbortSignal,
  { queue }: DrainDeps,
): Promise<readonly QueuedBatch[]> {
  await queue.waitForBatch(IDLE_WAIT_MS);
  // The wait may end early: a turn in between keeps a queue that says so from starving everything else.
  await nextTurn();
  if (!isBehind) await pause(FLUSH_INTERVAL_MS, stopping);
  return stopping.aborted ? [] : queue.claim(MAX_BATCHES, MAX_BYTES);
}

/** One flush is one trace, linked to those of the requests that its batches came in. */
async function store(batches: readonly QueuedBatch[], stopping: AbortSignal, deps: DrainDeps): Promise<void> {
  const facts = {
    attributes: { "assay.batches": batches.length },
    links: batches.map(({ traceparent }) => traceparent),
  };
  const { stored, events } = await deps.tracing.span("queue.flush", facts, () =>
    storeBatches(batches, stopping, deps),
  );
  for (const { orgId } of stored) deps.meter.touch(orgId);
  deps.metrics.eventsStored.inc(events);
}

const bytesOf = (batches: readonly QueuedBatch[]) =>
  batches.reduce((sum, { body }) => sum + body.byteLength, 0);

/** Waits, or returns early when the service stops. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
