import type { Schedule } from "./schedule.ts";

/** A promise that is settled from outside, or with false once its time is over. */
export interface Deadline {
  readonly outcome: Promise<boolean>;
  settle(outcome: boolean): void;
}

/** Starts a deadline; it keeps a Node process alive, since somebody is waiting. */
export function startDeadline(timeoutMs: number, schedule: Schedule): Deadline {
  let resolve: (outcome: boolean) => void = () => {};
  const outcome = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  const cancel = schedule(timeoutMs, () => resolve(false), true);
  return {
    outcome,
    settle(reached) {
      cancel();
      resolve(reached);
    },
  };
}
