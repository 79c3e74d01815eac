import { setTimeout as sleep } from "node:timers/promises";
import type { LeaderElection } from "@assay/domain";

/** Pause before the next attempt after the leadership was lost or the work failed. */
const PAUSE_MS = 1_000;

/** Leadership that this process holds. */
export interface Leadership {
  /** Resolves when the leadership is lost. */
  readonly lost: Promise<void>;
  /** Gives up the leadership. */
  resign(): Promise<void>;
}

/** Waits for the leadership; null when it is not available now, or `stopping` is aborted. */
export type AcquireLeadership = (stopping: AbortSignal) => Promise<Leadership | null>;

/**
 * Tries to become leader until it is stopped, and runs `work` each time it becomes leader. The signal passed to `work` is not yet
 * aborted. If `work` fails, it resigns and tries again.
 */
export function runForLeader(
  work: (leading: AbortSignal) => Promise<void>,
  acquire: AcquireLeadership,
): LeaderElection {
  const stopping = new AbortController();
  let isLeader = false;

  async function lead({ lost, resign }: Leadership): Promise<void> {
    if (stopping.signal.aborted) return resign(); // stopped while waiting for the leadership
    const term = new AbortController();
    const end = () => {
      isLeader = false;
      term.abort();
    };
    isLeader = true;
    stopping.signal.addEventListener("abort", end, { once: true });
    const over = lost.then(end);
    try {
      await work(term.signal);
      // The process stays leader after its work has finished.
      await Promise.race([over, aborted(term.signal)]);
    } finally {
      end();
      stopping.signal.removeEventListener("abort", end);
      await resign().catch(() => undefined);
    }
  }

  const done = (async () => {
    while (!stopping.signal.aborted) {
      const leadership = await acquire(stopping.signal).catch(() => null);
      if (leadership !== null) await lead(leadership).catch(() => undefined);
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    isLeader: () => isLeader,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
