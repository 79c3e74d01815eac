import type { Clock } from "@assay/domain";

/** Concurrent requests to the judge. */
export const CONCURRENCY = 32;
/** During a fault, one question probes the endpoint this often. */
export const PROBE_MS = 30_000;
const FIRST_PAUSE_MS = 2_000;
/** What an endpoint says beyond that is not believed. */
export const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Limits the concurrency of judgements. A rate limit pauses them for a while, a fault of the endpoint until a probe is
 * answered. After a pause the concurrency starts at one, and each answer raises it by one.
 */
export class JudgeGate {
  readonly #clock: Clock;
  /** Concurrent requests. This many failures in a row are a fault of the endpoint, not of single questions. */
  readonly #concurrency: number;
  #width: number;
  #opensAt = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #failuresInARow = 0;
  #fault: { readonly detail: string; readonly since: number } | null = null;

  constructor(clock: Clock, concurrency: number) {
    this.#clock = clock;
    this.#concurrency = concurrency;
    this.#width = concurrency;
  }

  get fault() {
    return this.#fault;
  }

  /** How many questions may be in flight now; 0 during a pause. */
  get width(): number {
    return this.#clock.now() < this.#opensAt ? 0 : this.#width;
  }

  /** When the pause ends, in epoch milliseconds. In the past when there is none. */
  get opensAt(): number {
    return this.#opensAt;
  }

  /** Notes that the judge answered, whatever it said. */
  answered(): void {
    this.#failuresInARow = 0;
    this.#fault = null;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#width = Math.min(this.#concurrency, this.#width + 1);
  }

  /** Notes a rate limit. If the endpoint does not say how long to wait, the pauses grow. */
  rateLimited(retryAfterMs: number | null): void {
    if (retryAfterMs !== null) this.#pause(Math.min(LONGEST_PAUSE_MS, retryAfterMs));
    // The other requests in flight report the same limit.
    if (retryAfterMs !== null || this.width === 0) return;
    this.#pause(this.#pauseMs);
    this.#pauseMs = Math.min(PROBE_MS, 2 * this.#pauseMs);
  }

  /** Notes a request without an answer. Many in a row count as a fault of the endpoint. */
  failed(detail: string): void {
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= this.#concurrency || this.#fault !== null) this.faulted(detail);
  }

  /** Notes that the endpoint fails every request: its address, key or model is wrong, or it is down. */
  faulted(detail: string): void {
    this.#fault = { detail, since: this.#fault?.since ?? this.#clock.now() };
    this.#pause(PROBE_MS);
  }

  #pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#clock.now() + ms);
    this.#width = 1;
  }
}
