import type { Snapshots } from "./snapshots.ts";

/** The most requests of an org that may wait at a time; others are answered at once. Each costs some 10 KB with its connection. */
export const MAX_WAITS_PER_ORG = 10_000;

/** Requests that wait until their org's config may have changed. */
export interface ConfigWaits {
  /**
   * Waits until the org's config may have changed, but at most `ms` milliseconds or until `signal` is aborted. Returns
   * whether the config may have changed.
   */
  untilChanged(orgId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** Ends all waits and accepts no new ones, because the process is stopping. */
  close(): void;
}

/** Makes the waits over an org's snapshots. */
export function createConfigWaits({ onInvalidated }: Pick<Snapshots, "onInvalidated">): ConfigWaits {
  const waiting = new Map<string, Set<(isChanged: boolean) => void>>();
  let isClosed = false;

  onInvalidated((orgId) => {
    for (const wake of waiting.get(orgId) ?? []) wake(true);
  });

  return {
    untilChanged(orgId, ms, signal) {
      const others = waiting.get(orgId) ?? new Set();
      if (isClosed || signal.aborted || others.size >= MAX_WAITS_PER_ORG) return Promise.resolve(false);
      waiting.set(orgId, others);
      return new Promise((resolve) => {
        const wake = (isChanged: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          others.delete(wake);
          if (others.size === 0) waiting.delete(orgId);
          resolve(isChanged);
        };
        const giveUp = () => wake(false);
        const timer = setTimeout(giveUp, ms);
        signal.addEventListener("abort", giveUp);
        others.add(wake);
      });
    },
    close() {
      isClosed = true;
      for (const others of waiting.values()) for (const wake of others) wake(false);
    },
  };
}
