import { startTimer } from "#platform";
import type { Client } from "./client.ts";

/** Of more, the one that was not heard of for longest is decided at once. */
const MOST = 1_000;

/** Of all clients, by when they were last heard of. */
const pending = new Set<PendingCall>();
const watched = new WeakSet<Client>();
let isProcessWatched = false;

/**
 * A model call that a framework may continue, without reporting when it does not. It is decided once: a while after it was last heard of,
 * when its client closes, or when the process ends; one that `hasStopped` also when its client is flushed. Keeps no process alive, except
 * that a serverless platform waits for one that has stopped.
 */
export class PendingCall {
  readonly client: Client;
  readonly hasStopped: boolean;
  readonly #afterMs: number;
  readonly #decide: () => void;
  #heardAt = performance.now();
  #cancel: () => void = () => {};
  #release: () => void = () => {};

  /** `decide` is called unless `settle` is called first. */
  constructor(client: Client, afterMs: number, decide: () => void, { hasStopped = false } = {}) {
    this.client = client;
    this.hasStopped = hasStopped;
    this.#afterMs = afterMs;
    this.#decide = decide;
    watch(client);
    pending.add(this);
    for (const silent of pending) {
      if (pending.size <= MOST) break;
      silent.decide();
    }
    this.#wait(afterMs);
    if (hasStopped) this.#hold();
  }

  /** The time since the call was last heard of. */
  get idleMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** The call has been heard of. */
  touch(): void {
    this.#heardAt = performance.now();
    if (pending.delete(this)) pending.add(this);
  }

  /** The call is decided otherwise. */
  settle(): void {
    pending.delete(this);
    this.#cancel();
    this.#release();
  }

  decide(): void {
    if (!pending.has(this)) return;
    this.settle();
    this.#decide();
  }

  #wait(delayMs: number): void {
    this.#cancel = startTimer(() => {
      const restMs = this.#afterMs - this.idleMs;
      // Timers may run a moment early.
      if (restMs > 1) this.#wait(restMs);
      else this.decide();
    }, delayMs);
  }

  #hold(): void {
    try {
      this.client.options.waitUntil?.(
        new Promise<void>((resolve) => {
          this.#release = resolve;
        }),
      );
    } catch {
      // The client warns of it at its next event.
    }
  }
}

function decideAll(isMeant: (call: PendingCall) => boolean = () => true): void {
  for (const call of pending) if (isMeant(call)) call.decide();
}

/** Decides what is pending before a client sends its events for the last time. */
function watch(client: Client): void {
  if (!isProcessWatched) {
    isProcessWatched = true;
    // Before the client's own listeners, which send and keep what is queued.
    const { process } = globalThis;
    process?.prependListener?.("beforeExit", () => decideAll());
    process?.prependListener?.("exit", () => decideAll());
  }
  if (watched.has(client)) return;
  watched.add(client);
  const { flush, flushReport, close } = client;
  const decide = (isEnd = false) => decideAll((call) => call.client === client && (isEnd || call.hasStopped));
  client.flush = (timeoutMs) => {
    decide();
    return flush.call(client, timeoutMs);
  };
  client.flushReport = (timeoutMs) => {
    decide();
    return flushReport.call(client, timeoutMs);
  };
  client.close = (timeoutMs) => {
    decide(true);
    return close.call(client, timeoutMs);
  };
}
