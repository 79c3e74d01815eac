import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";

/** All steps together; an orchestrator kills what has not ended after 30 s. */
const WITHIN_MS = 25_000;
/** What each step gets when that time is over. */
const LATE_STEP_MS = 1_000;

interface Step {
  readonly name: string;
  readonly undo: () => Promise<void> | void;
}

/** Undoes what start-up has done so far, newest first. */
export class Teardown {
  readonly #steps: Step[] = [];
  readonly #log: Pick<Logger, "warn"> | undefined;
  readonly #withinMs: number;

  constructor(log?: Pick<Logger, "warn">, withinMs: number = WITHIN_MS) {
    this.#log = log;
    this.#withinMs = withinMs;
  }

  add(undo: Step["undo"], name = "an engine"): void {
    this.#steps.push({ name, undo });
  }

  /**
   * Each step ends before the next one begins, unless it takes too long: then the next one begins without it, so that the rest is
   * still closed in order. A step that fails keeps no other from its turn; the first failure is thrown at the end.
   */
  async run(): Promise<void> {
    const deadline = performance.now() + this.#withinMs;
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      const { name, undo } = step;
      const done = (async () => undo())().then(
        () => true,
        (error: unknown) => {
          failures.push(error);
          return true;
        },
      );
      const leftMs = Math.max(LATE_STEP_MS, deadline - performance.now());
      if (!(await Promise.race([done, sleep(leftMs, false, { ref: false })])))
        this.#log?.warn({ step: name }, "stopping takes too long: it goes on without waiting for this step");
    }
    if (failures.length > 0) throw failures[0];
  }
}
