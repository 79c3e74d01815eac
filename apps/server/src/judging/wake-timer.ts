import type { Clock } from "@assay/domain";

/** Instants are kept by the second: few, however many there are. */
const STEP_MS = 1_000;

/** Calls back at each of the instants it was set to, or within a second after it; a process may end meanwhile. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  readonly #times = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #next = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Adds an instant, epoch milliseconds. */
  setFor(at: number): void {
    this.#times.add(Math.ceil(at / STEP_MS) * STEP_MS);
    this.#arm();
  }

  /** Forgets every instant. */
  clear(): void {
    this.#times.clear();
    this.#arm();
  }

  #arm(): void {
    const next = Math.min(...this.#times);
    if (next === this.#next) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#next = next;
    this.#timer =
      next === Number.POSITIVE_INFINITY
        ? null
        : setTimeout(() => this.#strike(), Math.max(0, next - this.#clock.now())).unref();
  }

  #strike(): void {
    const now = this.#clock.now();
    for (const at of this.#times) if (at <= now) this.#times.delete(at);
    // A clock that lags behind the timer rings once more.
    this.#next = Number.NaN;
    this.#arm();
    this.#ring();
  }
}
