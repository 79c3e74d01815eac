import { setTimeout as sleep } from "node:timers/promises";
import type { LeaderElection } from "@assay/domain";

/** How long after a loss or a failure the lead is tried for again. */
const PAUSE_MS = 1_000;

/** The lead, held. */
export interface Lead {
  /** Resolves when it is lost. */
  readonly lost: Promise<void>;
  /** Gives it up. */
  resign(): Promise<void>;
}

/** Waits for the lead; null when it is not to be had now, or when `stopping` was aborted. */
export type WaitForLead = (stopping: AbortSignal) => Promise<Lead | null>;

/** Tries for the lead until it is stopped, and runs `work` each time it has it. Work that fails gives the lead away. */
export function campaign(
  work: (leading: AbortSignal) => Promise<void>,
  waitForLead: WaitForLead,
): LeaderElection {
  const stopping = new AbortController();
  let isLeader = false;

  async function lead(held: Lead): Promise<void> {
    const term = new AbortController();
    const end = () => {
      isLeader = false;
      term.abort();
    };
    isLeader = true;
    stopping.signal.addEventListener("abort", end, { once: true });
    if (stopping.signal.aborted) end();
    const over = held.lost.then(end);
    try {
      await work(term.signal);
      // Work that has nothing left to do still leads.
      await Promise.race([over, aborted(term.signal)]);
    } finally {
      end();
      stopping.signal.removeEventListener("abort", end);
      await held.resign().catch(() => undefined);
    }
  }

  const done = (async () => {
    while (!stopping.signal.aborted) {
      const held = await waitForLead(stopping.signal).catch(() => null);
      if (held !== null) await lead(held).catch(() => undefined);
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
