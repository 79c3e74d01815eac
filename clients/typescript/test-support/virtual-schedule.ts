import type { Schedule } from "../src/schedule.ts";

interface Task {
  readonly dueMs: number;
  run(): void;
}

/** A schedule with a virtual clock: time passes instantly and exactly, on request. */
export class VirtualSchedule {
  nowMs = 0;
  readonly #tasks = new Set<Task>();

  readonly run: Schedule = (delayMs, task) => {
    const entry = { dueMs: this.nowMs + delayMs, run: task };
    this.#tasks.add(entry);
    return () => this.#tasks.delete(entry);
  };

  /** Runs what falls due up to `untilMs`, oldest first; before each step of time it waits for `settled`. */
  async runUntil(untilMs: number, settled: () => Promise<void>): Promise<void> {
    for (;;) {
      await settled();
      const next = this.#next();
      if (next === undefined || next.dueMs > untilMs) return;
      this.#tasks.delete(next);
      this.nowMs = next.dueMs;
      next.run();
    }
  }

  #next(): Task | undefined {
    let next: Task | undefined;
    for (const task of this.#tasks) if (next === undefined || task.dueMs < next.dueMs) next = task;
    return next;
  }
}
