import { startTimer } from "#platform";
import type { Client } from "./client.ts";

/** The limit of pending calls. Beyond it, the call that was silent for longest is decided at once. */
const MOST = 1_000;

/** The pending calls of all clients, least recently active first. */
const pending = new Set<PendingCall>();
const watched = new WeakSet<Client>();
let isProcessWatched = false;

/**
 * A model call that a framework may continue, without ever reporting that it does not. It is decided once: some time after its last
 * activity, when its client closes, or when the process ends. A call that `hasStopped` is also decided when its client is flushed. It
 * does not keep the process alive, but a serverless platform waits for a call that has stopped.
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

  /** The time since the call's last activity. */
  get idleMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** Notes activity of the call. */
  touch(): void {
    this.#heardAt = performance.now();
    if (pending.delete(this)) pending.add(this);
  }

  /** Ends the wait, because the call was decided elsewhere. */
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
      // The client warns about this at its next event.
    }
  }
}

function decideAll(isMeant: (call: PendingCall) => boolean = () => true): void {
  for (const call of pending) if (isMeant(call)) call.decide();
}

/** Decides the pending calls before a client sends its events for the last time. */
function watch(client: Client): void {
  if (!isProcessWatched) {
    isProcessWatched = true;
    // Runs before the client's own listeners, which send and keep the queued events.
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
