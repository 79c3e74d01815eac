import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { QueuedBatch, StoredEvent } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { toEvents } from "./to-events.ts";

type DrainDeps = Pick<Deps, "queue" | "events" | "snapshots" | "metrics" | "log" | "meter">;

const MAX_BATCHES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** A flush is due this long after the last one, or at once when this many bytes wait (engines.md: few, large inserts). */
const FLUSH_INTERVAL_MS = 500;
const FLUSH_BYTES = 1024 * 1024;
const IDLE_WAIT_MS = 1_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/** The consumer of the ingest queue. */
export interface QueueDrain {
  /** Finishes the flush under way and stops. What is not stored stays in the queue for the next start. */
  stop(): Promise<void>;
}

/** Moves accepted batches into the event store, for as long as the service runs. Redelivery is harmless: both ends are idempotent. */
export function startQueueDrain(deps: DrainDeps): QueueDrain {
  const stopping = new AbortController();
  const done = drainUntil(stopping.signal, deps);
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function drainUntil(stopping: AbortSignal, deps: DrainDeps): Promise<void> {
  while (!stopping.aborted) {
    await deps.queue.waitForBatch(IDLE_WAIT_MS);
    const { batches: waiting, bytes } = deps.queue.depth();
    // The wait may end early: a turn in between keeps a queue that says so from starving everything else.
    await nextTurn();
    if (waiting === 0 || stopping.aborted) continue;
    if (bytes < FLUSH_BYTES) await pause(FLUSH_INTERVAL_MS, stopping);
    const batches = await deps.queue.claim(MAX_BATCHES, MAX_BYTES);
    if (batches.length > 0) await store(batches, stopping, deps);
  }
}

async function store(batches: readonly QueuedBatch[], stopping: AbortSignal, deps: DrainDeps): Promise<void> {
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    try {
      const events = await readBatches(batches, deps);
      await deps.events.append(events);
      await deps.queue.ack(batches);
      for (const { orgId } of batches) deps.meter.touch(orgId);
      deps.metrics.eventsStored.inc(events.length);
      return;
    } catch (error) {
      if (stopping.aborted) return;
      deps.log.error(
        { err: error, batches: batches.length, retryMs },
        "events could not be stored; they wait in the queue",
      );
      await pause(retryMs, stopping);
      if (stopping.aborted) return;
    }
  }
}

/** Parses batch by batch and lets requests in between, so that the event loop never stalls. */
async function readBatches(
  batches: readonly QueuedBatch[],
  { snapshots }: DrainDeps,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (const batch of batches) {
    const snapshot = snapshots.peek(batch.orgId) ?? (await snapshots.get(batch.orgId));
    for (const event of toEvents(batch, snapshot)) events.push(event);
    await nextTurn();
  }
  return events;
}

/** Waits, or returns early when the service stops. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
