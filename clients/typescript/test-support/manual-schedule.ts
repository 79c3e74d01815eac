import type { Schedule } from "../src/schedule.ts";

export interface PendingTask {
  readonly delayMs: number;
  readonly holdsProcess: boolean;
  fire(): void;
}

/** A schedule whose tasks run when a test fires them. */
export class ManualSchedule {
  /** Scheduled, neither run nor canceled; oldest first. */
  readonly pending: PendingTask[] = [];
  readonly #watchers = new Set<() => void>();

  readonly run: Schedule = (delayMs, task, holdsProcess = false) => {
    const remove = () => {
      const index = this.pending.indexOf(entry);
      if (index >= 0) this.pending.splice(index, 1);
    };
    const fire = () => {
      remove();
      task();
    };
    const entry = { delayMs, holdsProcess, fire };
    this.pending.push(entry);
    for (const notify of this.#watchers) notify();
    this.#watchers.clear();
    return remove;
  };

  /** Returns the pending task whose delay fits, as soon as there is one. */
  async task(fits: (delayMs: number) => boolean): Promise<PendingTask> {
    for (;;) {
      const found = this.pending.find(({ delayMs }) => fits(delayMs));
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }

  /** Fires the task with this delay as soon as there is one. */
  async fire(delayMs: number): Promise<void> {
    (await this.task((candidate) => candidate === delayMs)).fire();
  }

  get delays(): readonly number[] {
    return this.pending.map(({ delayMs }) => delayMs);
  }
}
