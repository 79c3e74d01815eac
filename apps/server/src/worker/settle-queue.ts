import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";

const POLL_MS = 25;

/** Waits until everything acknowledged so far is in the event store, `timeoutMs` at most; false when that was not enough. */
export async function settleQueue(timeoutMs: number, { queue }: Pick<Deps, "queue">): Promise<boolean> {
  const target = queue.newestSequence();
  for (let waitedMs = 0; !queue.isDrainedTo(target); waitedMs += POLL_MS) {
    if (waitedMs >= timeoutMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Settles the queue before an analysis, which then misses nothing that was accepted before it, and warns when it will. */
export async function settleBeforeAnalysis(
  timeoutMs: number,
  { queue, log }: Pick<Deps, "queue" | "log">,
): Promise<void> {
  if (await settleQueue(timeoutMs, { queue })) return;
  log.warn({ ...queue.depth() }, "an analysis starts although accepted events still wait in the queue");
}
