import type { Cancel, Schedule } from "./schedule.ts";

/** Calls that wait for a decision, each for a limited time. */
export interface Waiters {
  /**
   * Resolves with the outcome once a check finds one that is not null, or with false after `timeoutMs`. The wait keeps
   * a Node process alive, since a caller is waiting.
   */
  wait(timeoutMs: number, outcome: () => boolean | null): Promise<boolean>;
  /** Checks every outcome again. */
  check(): void;
}

/** Makes waiters that measure time with `schedule`. */
export function createWaiters(schedule: Schedule): Waiters {
  const checks = new Set<() => void>();
  const wait = (timeoutMs: number, outcome: () => boolean | null) =>
    new Promise<boolean>((resolve) => {
      let cancel: Cancel = () => {};
      const check = (decided = outcome()) => {
        if (decided === null) return;
        cancel();
        checks.delete(check);
        resolve(decided);
      };
      checks.add(check);
      cancel = schedule(timeoutMs, () => check(false), true);
      check();
    });
  return {
    wait,
    check() {
      for (const check of checks) check();
    },
  };
}
