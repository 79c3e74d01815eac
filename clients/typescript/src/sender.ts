import type { ClientLog } from "./client-log.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { type EventQueue, MAX_BATCH_EVENTS } from "./event-queue.ts";
import { parseAck } from "./ingest-ack.ts";
import { type Answer, reasonOf, type Verdict, verdictOn } from "./retry-policy.ts";
import type { Cancel, Schedule } from "./schedule.ts";
import type { Transport } from "./transport.ts";

export interface SenderDeps {
  readonly queue: EventQueue;
  readonly transport: Transport;
  readonly schedule: Schedule;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: ClientLog;
  readonly flushIntervalMs: number;
  /** How many assignments were null for want of a config since it was last asked: the next batch tells the service. */
  readonly takeNullsBeforeReady: () => number;
  /** Called with the `config_version` of each acknowledgement. */
  readonly onConfigVersion: (version: number) => void;
}

interface Flush {
  /** Reached when so many events are settled. */
  readonly target: number;
  readonly lostBefore: number;
  readonly deadline: Deadline;
}

/** Sends the queue's events to the service in batches, one at a time, in the background. */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #stop = new AbortController();
  readonly #flushes = new Set<Flush>();
  /** Events up to this one are due even when they do not fill a batch. */
  #target = 0;
  /** Lowered when the service finds a batch too large. */
  #maxEvents = MAX_BATCH_EVENTS;
  #lost = 0;
  #isSending = false;
  #isPaused = false;
  #cancelInterval: Cancel | null = null;
  /** Ends the wait for the next try, or the pause. */
  #cancelWait: Cancel = () => {};

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** To be called after an event was added to the queue; sends nothing before the caller's turn is over. */
  noteAdded(): void {
    this.#startInterval();
    if (this.#deps.queue.fillsBatch) void this.#run();
  }

  /**
   * Sends what is in the queue now. Resolves true once the service has answered for all of it, false when some of it
   * was given up, when sending is paused, or at the deadline.
   */
  flush(timeoutMs: number): Promise<boolean> {
    const { queue, schedule } = this.#deps;
    if (queue.size === 0) return Promise.resolve(true);
    if (this.#isPaused || this.#stop.signal.aborted) return Promise.resolve(false);
    const deadline = startDeadline(timeoutMs, schedule);
    const flush = { target: queue.enqueued, lostBefore: this.#lost, deadline };
    this.#flushes.add(flush);
    void deadline.outcome.then(() => this.#flushes.delete(flush));
    this.#sendAll();
    return deadline.outcome;
  }

  /** Stops sending for good and gives up what is left. */
  stop(): void {
    const { queue, log } = this.#deps;
    this.#stop.abort();
    this.#cancelInterval?.();
    this.#cancelWait();
    if (queue.size > 0) log.count("event given up, the client was closed", queue.size);
    queue.settle(queue.size);
    for (const { deadline } of this.#flushes) deadline.settle(false);
  }

  #startInterval(): void {
    this.#cancelInterval ??= this.#deps.schedule(this.#deps.flushIntervalMs, () => {
      this.#cancelInterval = null;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    this.#target = this.#deps.queue.enqueued;
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    await null; // track only enqueues: the batch is built after the caller's turn
    while (this.#isDue()) await this.#deliver(this.#deps.queue.peek(this.#maxEvents));
    this.#isSending = false;
  }

  #isDue(): boolean {
    const { queue } = this.#deps;
    if (queue.size === 0 || this.#isPaused || this.#stop.signal.aborted) return false;
    return queue.settled < this.#target || queue.fillsBatch;
  }

  /** Sends one batch until there is a verdict on it. The rows, and so their event ids, stay the same on each try. */
  async #deliver(rows: readonly string[]): Promise<void> {
    const { transport, random } = this.#deps;
    const headers = { "Content-Type": "application/json" };
    const nulls = this.#deps.takeNullsBeforeReady();
    const health = nulls > 0 ? `,"client":{"null_before_ready":${nulls}}` : "";
    const body = `{"events":[${rows.join(",")}]${health}}`;
    const { signal } = this.#stop;
    for (let tries = 1; !signal.aborted; tries++) {
      const answer = await transport("/v1/events", { method: "POST", headers, body, signal });
      if (signal.aborted) return;
      const verdict = verdictOn(answer, tries, random());
      if (verdict.action !== "retry") return this.#apply(verdict, rows.length, answer);
      await this.#wait(verdict.delayMs);
    }
  }

  #apply(verdict: Exclude<Verdict, { action: "retry" }>, count: number, answer: Answer): void {
    switch (verdict.action) {
      case "accept":
        this.#maxEvents = Math.min(MAX_BATCH_EVENTS, this.#maxEvents * 2);
        this.#readAck(answer);
        this.#settle(count);
        break;
      case "halve":
        if (count === 1) this.#lose(1, reasonOf(answer));
        else this.#maxEvents = Math.ceil(count / 2);
        break;
      case "pause":
        if (verdict.keepsBatch) this.#deps.log.once("error", `the API key was refused: ${verdict.reason}`);
        else this.#lose(count, verdict.reason);
        this.#pause(verdict.pauseMs);
        break;
      case "drop":
        this.#lose(count, verdict.reason);
    }
  }

  #readAck(answer: Answer): void {
    const ack = parseAck(answer.kind === "response" ? answer.body : undefined);
    for (const [reason, count] of ack.rejected) this.#deps.log.count(`event rejected, ${reason}`, count);
    if (ack.configVersion !== null) this.#deps.onConfigVersion(ack.configVersion);
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    this.#deps.log.count(`event given up, ${reason}`, count);
    this.#settle(count);
  }

  #settle(count: number): void {
    const { queue } = this.#deps;
    queue.settle(count);
    for (const { target, lostBefore, deadline } of this.#flushes) {
      if (queue.settled >= target) deadline.settle(this.#lost === lostBefore);
    }
  }

  #pause(pauseMs: number): void {
    this.#isPaused = true;
    for (const { deadline } of this.#flushes) deadline.settle(false);
    this.#cancelWait = this.#deps.schedule(pauseMs, () => {
      this.#isPaused = false;
      this.#sendAll();
    });
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#cancelWait = this.#deps.schedule(delayMs, resolve);
    });
  }
}
