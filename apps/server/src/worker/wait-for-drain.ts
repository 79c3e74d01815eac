import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";
import { withoutPauses } from "./drain-waits.ts";

const POLL_MS = 25;

/**
 * Waits until everything acknowledged so far is in the event store, which a consumer in this process does without its usual pauses meanwhile.
 * Returns false after `timeoutMs` or on `signal`.
 */
export function waitForDrain(
  timeoutMs: number,
  { queue }: { readonly queue: Pick<Deps["queue"], "newestSequence" | "isDrainedTo"> },
  signal?: AbortSignal,
): Promise<boolean> {
  return withoutPauses(queue, async () => {
    const target = await queue.newestSequence();
    for (let waitedMs = 0; !(await queue.isDrainedTo(target)); waitedMs += POLL_MS) {
      if (waitedMs >= timeoutMs || signal?.aborted) return false;
      await sleep(POLL_MS);
    }
    return true;
  });
}

/** Waits for the queue before a run, so that the run includes every event accepted so far; logs a warning if it will not. */
export async function waitForDrainOrWarn(
  timeoutMs: number,
  { queue, log, stopping }: Pick<Deps, "queue" | "log" | "stopping">,
): Promise<void> {
  if (await waitForDrain(timeoutMs, { queue }, stopping)) return;
  if (stopping.aborted) return;
  log.warn(await queue.depth(), "a run starts although accepted events are still in the queue");
}
