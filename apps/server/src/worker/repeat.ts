import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { runAs } from "../current-work.ts";

/** A task that runs again and again until it is stopped. */
export interface Repeated {
  /** Lets the run under way finish, then stops. */
  stop(): Promise<void>;
}

/** Runs `task` now and then `intervalMs` after each end. A failure is logged and does not end the series. */
export function repeat(name: string, intervalMs: number, task: () => Promise<void>, log: Logger): Repeated {
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await runAs({ task: name }, async () => {
        await task().catch((error: unknown) =>
          log.error({ err: error }, "a background task failed; it runs again"),
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
