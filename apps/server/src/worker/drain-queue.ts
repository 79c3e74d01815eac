import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { QueuedBatch } from "@assay/domain";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { pauseUnlessAwaited } from "./drain-waits.ts";
import { describeError, type StoreDeps, storeBatches } from "./store-batches.ts";

type DrainDeps = StoreDeps & Pick<Deps, "metrics" | "meter" | "tracing">;

const MAX_BATCHES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/**
 * The pause between flushes (engines.md: few, large inserts). There is no pause for a batch after a quiet time, after a
 * flush when at least `FLUSH_BYTES` are waiting, or while somebody waits for the queue to drain.
 */
const FLUSH_INTERVAL_MS = 500;
const FLUSH_BYTES = 1024 * 1024;
const IDLE_WAIT_MS = 1_000;
const QUEUE_RETRY_MS = 1_000;

/** The consumer of the ingest queue. */
export interface QueueDrain {
  /** Finishes the current flushes and stops. Unstored batches stay in the queue for the next start or another worker. */
  stop(): Promise<void>;
}

/**
 * Moves accepted batches into the event store while the service runs. Several processes may drain the queue at once. Redelivery is
 * harmless: both ends are idempotent.
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
  // Only the queue's own errors get here. The event store's are retried in `storeBatches`.
  const report = (error: unknown) => deps.log.error(describeError(error), "the ingest queue does not answer");
  let nextFlushAt = 0;
  let last: Promise<unknown> = Promise.resolve();
  while (!stopping.aborted) {
    try {
      const batches = await nextBatches(nextFlushAt, stopping, deps);
      if (batches.length === 0) continue;
      const earlier = last;
      last = Promise.all([earlier, store(batches, stopping, deps).catch(report)]);
      // More is waiting than one flush takes, so the next is read while the event store works on this one.
      const isMoreWaiting = bytesOf(batches) >= FLUSH_BYTES;
      await (isMoreWaiting ? earlier : last);
      nextFlushAt = isMoreWaiting ? 0 : performance.now() + FLUSH_INTERVAL_MS;
    } catch (error) {
      report(error);
      await sleep(QUEUE_RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  await last;
}

/** Waits for a batch, and for the instant of the next flush. */
async function nextBatches(
  nextFlushAt: number,
  stopping: AbortSignal,
  { queue }: DrainDeps,
): Promise<readonly QueuedBatch[]> {
  await orStopped(queue.waitForBatch(IDLE_WAIT_MS), stopping);
  // The wait may end at once; yield, so that a busy queue does not starve the event loop.
  await nextTurn();
  await pauseUnlessAwaited(queue, nextFlushAt - performance.now(), stopping);
  return stopping.aborted ? [] : queue.claim(MAX_BATCHES, MAX_BYTES);
}

/** Stores one flush as one trace, linked to the traces of the requests that brought its batches. */
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

/** Waits for the promise, or returns early when the service stops. */
function orStopped(waiting: Promise<void>, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve();
    stopping.addEventListener("abort", stop, { once: true });
    void waiting.then(resolve, reject).finally(() => stopping.removeEventListener("abort", stop));
  });
}
