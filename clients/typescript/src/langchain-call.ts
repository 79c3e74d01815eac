import type { Client, ClientCall } from "./client.ts";
import { moveBack } from "./framework-calls.ts";
import { hostOf } from "./framework-host.ts";
import type { FrameworkObserver, FrameworkState } from "./model-call/call-record.ts";
import { textAt } from "./model-call/foreign-value.ts";
import { PendingCall } from "./pending-call.ts";

/** Resolves once the part of an answer is recorded, and never rejects. */
export type Ended = Promise<unknown> | undefined;

/** A stream that is silent for longer is no longer being read: the providers' libraries give up earlier. */
const LEFT_MS = 600_000;

/**
 * A model call that LangChain reports. It is observed as a promise of the whole answer or, from the first token on, as a stream of its parts.
 * LangChain does not report that a caller has left a stream, so a stream that goes silent counts as left.
 */
export class LangchainCall {
  readonly #client: Client;
  readonly #framework: FrameworkState = { isAnswered: false };
  readonly #forget: () => void;
  readonly #stream: AsyncIterator<unknown> & AsyncIterable<unknown>;
  #step: Promise<IteratorResult<unknown>> = Promise.resolve({ done: true, value: undefined });
  #recorded: Promise<unknown>;
  #settle: readonly [resolve: (answer: unknown) => void, reject: (error: unknown) => void] = [
    () => {},
    () => {},
  ];
  /** Set for a stream. */
  #pending: PendingCall | undefined;
  /** For a stream that was left: how long it had been silent. */
  #silentMs = 0;

  /** `forget` is called if the caller left the stream. */
  constructor(client: Client, call: ClientCall, forget: () => void) {
    this.#client = client;
    this.#forget = forget;
    this.#stream = {
      next: () => this.#step,
      return: async () => ({ done: true, value: undefined }),
      [Symbol.asyncIterator]: () => this.#stream,
    };
    const answer = new Promise<unknown>((...settle) => {
      this.#settle = settle;
    });
    const host = hostOf(client, this.#observer());
    const observed = client.observe({ ...call, framework: this.#framework, host }, () => answer);
    this.#recorded = observed.catch(() => {});
  }

  /** A token has arrived. */
  take(token: string, chunk: unknown): void {
    this.#framework.isAnswered = true;
    if (!this.#pending) {
      this.#settle[0](this.#stream);
      this.#pending = new PendingCall(this.#client, LEFT_MS, () => this.#leave());
    }
    this.#pending.touch();
    void this.#read(async () => ({ done: false, value: { token, chunk } }));
  }

  /** The answer is complete. */
  end(output: unknown): Ended {
    this.#pending?.settle();
    if (!this.#pending) {
      this.#settle[0](output);
      return this.#recorded;
    }
    void this.#read(async () => ({ done: false, value: output }));
    return this.#read(async () => ({ done: true, value: undefined }));
  }

  fail(error: unknown): Ended {
    this.#pending?.settle();
    // Some integrations report an aborted stream only in the message.
    const known = /^abort/i.test(textAt(error, "message")) ? new DOMException("", "AbortError") : error;
    if (this.#pending) return this.#read(() => Promise.reject(known));
    this.#settle[1](known);
    return this.#recorded;
  }

  #read(next: () => Promise<IteratorResult<unknown>>): Ended {
    this.#recorded = this.#recorded.then(() => {
      this.#step = next();
      return this.#stream.next().catch(() => {});
    });
    return this.#recorded;
  }

  #leave(): void {
    this.#forget();
    // A wrapped client used by LangChain has recorded the call.
    if (this.#framework.hasInner) return;
    this.#silentMs = this.#pending?.idleMs ?? 0;
    void this.#stream.return?.();
  }

  /** The client's observer. It also makes a stream that was left end with its last token. */
  #observer(): FrameworkObserver {
    const client = this.#client;
    return {
      start: (identity, framework) => client.frameworks?.start(identity, framework) ?? false,
      end: (identity, event, answer) => {
        const before = client.lastRow;
        const latency_ms = (event.latency_ms as number) - this.#silentMs;
        client.frameworks?.end(identity, { ...event, latency_ms }, answer);
        if (this.#silentMs && client.lastRow !== before) moveBack(client.lastRow, this.#silentMs);
      },
    };
  }
}
