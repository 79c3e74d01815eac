import type { Clock } from "@assay/domain";

/** Judgements that are asked for at a time. */
export const CONCURRENCY = 32;
/** Failures in a row, without an answer in between, that are the endpoint's and not a judgement's. */
const FAILURES_TO_FAULT = CONCURRENCY;
/** After a fault, one judgement finds out so often whether it is over. */
export const PROBE_MS = 30_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Decides how many judgements may be under way. A rate limit stops all of them for a while, a fault of the endpoint until a probe is
 * answered; afterwards one is asked, and each answer lets one more through.
 */
export class JudgeGate {
  readonly #clock: Clock;
  #width = CONCURRENCY;
  #opensAt = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #failuresInARow = 0;
  #fault: { readonly detail: string; readonly since: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get fault() {
    return this.#fault;
  }

  /** How many may be under way now; 0 during a pause. */
  get width(): number {
    return this.#clock.now() < this.#opensAt ? 0 : this.#width;
  }

  /** When the pause ends, epoch milliseconds; in the past when there is none. */
  get opensAt(): number {
    return this.#opensAt;
  }

  /** The judge answered, whatever it said. */
  answered(): void {
    this.#failuresInARow = 0;
    this.#fault = null;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#width = Math.min(CONCURRENCY, this.#width + 1);
  }

  /** The endpoint asks for fewer requests; without its word on how long, pauses grow. */
  rateLimited(retryAfterMs: number | null): void {
    if (retryAfterMs !== null) this.#pause(Math.min(LONGEST_PAUSE_MS, retryAfterMs));
    // Others that were under way say the same again.
    if (retryAfterMs !== null || this.width === 0) return;
    this.#pause(this.#pauseMs);
    this.#pauseMs = Math.min(PROBE_MS, 2 * this.#pauseMs);
  }

  /** One request brought no answer. Many in a row are the endpoint's fault. */
  failed(detail: string): void {
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= FAILURES_TO_FAULT || this.#fault !== null) this.faulted(detail);
  }

  /** The endpoint refuses every request: its address, key or model is wrong, or it is down. */
  faulted(detail: string): void {
    this.#fault = { detail, since: this.#fault?.since ?? this.#clock.now() };
    this.#pause(PROBE_MS);
  }

  #pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#clock.now() + ms);
    this.#width = 1;
  }
}
