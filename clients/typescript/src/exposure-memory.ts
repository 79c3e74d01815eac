/**
 * Remembers which exposures were recorded lately, since each one is billed: the `capacity` keys used last, each for
 * `windowMs`. Instants are epoch milliseconds and may go backwards, as in a replay.
 */
export class ExposureMemory {
  /** In order of last use: a Map keeps the order of insertion. */
  readonly #recordedAt = new Map<string, number>();
  readonly #windowMs: number;
  readonly #capacity: number;

  constructor(windowMs: number, capacity: number) {
    this.#windowMs = windowMs;
    this.#capacity = capacity;
  }

  /** Tells whether `key` was recorded within the window around `now`, and keeps it from being forgotten next. */
  has(key: string, now: number): boolean {
    const at = this.#recordedAt.get(key);
    if (at === undefined) return false;
    this.#recordedAt.delete(key);
    if (Math.abs(now - at) >= this.#windowMs) return false;
    this.#recordedAt.set(key, at);
    return true;
  }

  /** Remembers `key`, forgetting the key used longest ago when there are too many. */
  add(key: string, now: number): void {
    this.#recordedAt.set(key, now);
    if (this.#recordedAt.size <= this.#capacity) return;
    const [oldest] = this.#recordedAt.keys();
    if (oldest !== undefined) this.#recordedAt.delete(oldest);
  }
}
