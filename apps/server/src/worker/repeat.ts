import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { runAs } from "../current-work.ts";

/** A task that repeats until it is stopped. */
export interface Repeated {
  /** Lets the current execution finish, then stops. */
  stop(): Promise<void>;
}

/** Runs `task` now, and again `intervalMs` after each execution ends. A failure is logged; the task still repeats. */
export function repeat(name: string, intervalMs: number, task: () => Promise<void>, log: Logger): Repeated {
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await runAs({ task: name }, async () => {
        await task().catch((error: unknown) =>
          log.error({ err: error }, "a background task failed; it is retried"),
        );
      });
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
