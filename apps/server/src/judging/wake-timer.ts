import type { Clock } from "@assay/domain";

/** Instants are rounded up to a full second, so that few timers serve many postponed judgements. */
const STEP_MS = 1_000;
/** Node fires a timer with a longer delay at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Calls back at each requested instant, at most a second late. It does not keep the process alive. */
export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  readonly #times = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #next = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Adds an instant, in epoch milliseconds. */
  wakeAt(at: number): void {
    this.#times.add(Math.ceil(at / STEP_MS) * STEP_MS);
    this.#schedule();
  }

  /** Cancels every instant. */
  clear(): void {
    this.#times.clear();
    this.#schedule();
  }

  #schedule(): void {
    const next = Math.min(...this.#times);
    if (next === this.#next) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#next = next;
    const delay = Math.min(LONGEST_DELAY_MS, Math.max(0, next - this.#clock.now()));
    this.#timer = next === Number.POSITIVE_INFINITY ? null : setTimeout(() => this.#fire(), delay).unref();
  }

  #fire(): void {
    const now = this.#clock.now();
    const due = [...this.#times].filter((at) => at <= now);
    for (const at of due) this.#times.delete(at);
    // If the clock lags behind the timer, the instant is still in the set and the timer fires again.
    this.#next = Number.NaN;
    this.#schedule();
    if (due.length > 0) this.#wake();
  }
}
