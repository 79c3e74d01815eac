import type { Clock } from "@assay/domain";

const WINDOW_MINUTES = 5;
const SLOT_MS = 10_000;
const SLOTS = (WINDOW_MINUTES * 60_000) / SLOT_MS;

/** Counts scores over the last five minutes, in slots of ten seconds. */
export class ScoreRate {
  readonly #clock: Clock;
  readonly #counts = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one score. */
  note(): void {
    const slot = this.#slot();
    this.#counts.set(slot, (this.#counts.get(slot) ?? 0) + 1);
    this.#forget(slot);
  }

  /** Computes the mean number of scores per minute. */
  perMinute(): number {
    this.#forget(this.#slot());
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total / WINDOW_MINUTES;
  }

  #slot(): number {
    return Math.floor(this.#clock.now() / SLOT_MS);
  }

  #forget(now: number): void {
    for (const slot of this.#counts.keys()) if (slot <= now - SLOTS) this.#counts.delete(slot);
  }
}
