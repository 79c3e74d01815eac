import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";

const POLL_MS = 25;

/** Waits until everything acknowledged so far is in the event store, `timeoutMs` at most: a run then misses nothing that was accepted before it. */
export async function settleQueue(
  timeoutMs: number,
  { queue, log }: Pick<Deps, "queue" | "log">,
): Promise<void> {
  const target = queue.newestSequence();
  for (let waitedMs = 0; !queue.isDrainedTo(target); waitedMs += POLL_MS) {
    if (waitedMs >= timeoutMs) {
      log.warn({ ...queue.depth() }, "an analysis starts although accepted events still wait in the queue");
      return;
    }
    await sleep(POLL_MS);
  }
}
