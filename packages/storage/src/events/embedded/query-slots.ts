import { Refusal } from "./refusal.ts";

/** Limits how many queries run at once; the rest wait in order of arrival. */
export interface QuerySlots {
  /**
   * Runs `task` as soon as a slot is free. Rejects with a `Refusal` if too many already wait, and with the signal's
   * reason if it aborts before the task starts. The caller must stop a task that has started.
   */
  run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

interface Waiter {
  readonly admit: () => void;
}

/** Creates the slots: at most `running` tasks run at once, and `waiting` more may wait. */
export function createQuerySlots(limits: { running: number; waiting: number }): QuerySlots {
  const line: Waiter[] = [];
  let running = 0;

  function admission(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < limits.running) {
      running += 1;
      return Promise.resolve();
    }
    if (line.length >= limits.waiting) throw new Refusal("too-busy", "Too many queries wait already");
    return inLine(signal);
  }

  function inLine(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      line.push(waiter);
    });
  }

  function release(): void {
    const next = line.shift();
    if (next === undefined) running -= 1;
    else next.admit();
  }

  return {
    async run(signal, task) {
      await admission(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
