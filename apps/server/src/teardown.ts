import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";

/** The time for all steps: an orchestrator kills the process after 30 s. */
const TIMEOUT_MS = 25_000;
/** The time for each remaining step after that. */
const LATE_STEP_MS = 1_000;

interface Step {
  readonly name: string;
  readonly undo: () => Promise<void> | void;
}

/** Undoes what start-up has done, newest step first. */
export class Teardown {
  readonly #steps: Step[] = [];
  readonly #log: Pick<Logger, "warn"> | undefined;
  readonly #timeoutMs: number;

  constructor(log?: Pick<Logger, "warn">, timeoutMs: number = TIMEOUT_MS) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  /** Registers a step; `name` appears in the log when it takes too long. */
  add(undo: Step["undo"], name = "an engine"): void {
    this.#steps.push({ name, undo });
  }

  /**
   * Runs all steps in order. Each waits for the previous one, unless that takes too long. A failed step does not stop the others; the
   * first failure is thrown at the end.
   */
  async run(): Promise<void> {
    const deadline = performance.now() + this.#timeoutMs;
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
      // The timer keeps the process alive. Otherwise a step that waits for nothing would end it half way.
      const timer = new AbortController();
      const tooLong = sleep(leftMs, false, { signal: timer.signal }).catch(() => false);
      const isDone = await Promise.race([done, tooLong]);
      timer.abort();
      if (!isDone)
        this.#log?.warn(
          { step: name },
          "a step of stopping takes too long; the next step starts without waiting for it",
        );
    }
    if (failures.length > 0) throw failures[0];
  }
}
