import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";

const POLL_MS = 25;

/** Waits until everything acknowledged so far is in the event store, `timeoutMs` at most; false when that was not enough, or on `signal`. */
export async function waitForDrain(
  timeoutMs: number,
  { queue }: Pick<Deps, "queue">,
  signal?: AbortSignal,
): Promise<boolean> {
  const target = await queue.newestSequence();
  for (let waitedMs = 0; !(await queue.isDrainedTo(target)); waitedMs += POLL_MS) {
    if (waitedMs >= timeoutMs || signal?.aborted) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Settles the queue before an analysis, which then misses nothing that was accepted before it, and warns when it will. */
export async function waitForDrainOrWarn(
  timeoutMs: number,
  { queue, log, stopping }: Pick<Deps, "queue" | "log" | "stopping">,
): Promise<void> {
  if (await waitForDrain(timeoutMs, { queue }, stopping)) return;
  if (stopping.aborted) return;
  log.warn(await queue.depth(), "an analysis starts although accepted events still wait in the queue");
}
