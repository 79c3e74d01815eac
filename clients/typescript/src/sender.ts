import type { ClientLog } from "./client-log.ts";
import { cutBatch } from "./cut-batch.ts";
import { fieldsOf, textOr } from "./fields.ts";
import type { KeptEvent, OfflineStore, Replay } from "./offline-store.ts";
import type { Outbox, QueueLimits } from "./platform.ts";
import { type Answer, acknowledgementOf, backoffMs, MAX_TRIES, PAUSE_MS } from "./retry-policy.ts";
import type { Cancel, Schedule } from "./schedule.ts";
import type { ServiceRequest, Transport } from "./transport.ts";
import type { Waiters } from "./waiters.ts";

export interface SenderDeps {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly schedule: Schedule;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: ClientLog;
  readonly flushIntervalMs: number;
  readonly queueLimits: QueueLimits;
  /** Aborting it ends everything. */
  readonly life: AbortSignal;
  readonly waiters: Waiters;
  /** Assignments that were null because no config was loaded, since the last report to the service. */
  readonly health: { nulls: number };
  /** Called with the `config_version` of each acknowledgement. */
  readonly onConfigVersion: (version: number) => void;
}

/** The result of `flushReport`. */
export interface FlushReport {
  /** As `flush` answers. */
  readonly delivered: boolean;
  /** The events that the service refused, by its reasons, since the last report. It counts the rest after 100 reasons together. */
  readonly rejected: readonly { readonly detail: string; readonly count: number }[];
}

const MAX_BATCH_EVENTS = 100;
const MAX_REASONS = 100;

/**
 * Sends events to the service in the background, one batch at a time. Events that cannot be delivered go to
 * the store, if there is one, and return to the queue when the service can be reached again.
 */
export class Sender implements Outbox {
  store: OfflineStore | null = null;
  readonly #deps: SenderDeps;
  /**
   * The events that are not settled (delivered, kept elsewhere or given up), oldest first, and their size.
   */
  readonly #events = new Set<KeptEvent>();
  #bytes = 0;
  /** How many events were ever queued, and how many of the first are due even if they do not fill a batch. */
  #queued = 0;
  #due = 0;
  /** How many events were given up or went to the store. */
  #lost = 0;
  /** How many events the service refused, by its reasons, since the last report. */
  #rejected = new Map<string, number>();
  /** Reduced when the service refuses a batch as too large. */
  #maxEvents = MAX_BATCH_EVENTS;
  #isSending = false;
  #isPaused = false;
  #cancelInterval: Cancel | null = null;
  /** Ends the wait for the next try, or the pause. */
  #cancelWait: Cancel = () => {};
  /** Events moving from the full queue to the store. */
  #moving: readonly KeptEvent[] = [];
  #moved: Promise<void> | null = null;
  /** The last replay from the store. It is over when the first `replayEnd` events are settled. */
  #replay: Replay | null = null;
  #replayEnd = 0;
  /** Whether the store may hold events. An earlier process may have left some. */
  #mayReplay = true;
  #isReachable = false;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Queues an event; false when it is refused. Sends nothing before the caller's synchronous code ends. */
  add(event: KeptEvent): boolean {
    const { log, schedule, flushIntervalMs, queueLimits } = this.#deps;
    if (!this.#hasRoom(event)) this.#makeRoom();
    if (!this.#hasRoom(event)) {
      log.count("event dropped, queue is full");
      return false;
    }
    const delayMs = this.#queued > 0 ? flushIntervalMs : Math.min(flushIntervalMs, queueLimits.firstFlushMs);
    this.#append([event]);
    this.store?.journal?.(event);
    this.#cancelInterval ??= schedule(delayMs, () => {
      this.#cancelInterval = null;
      this.#sendAll();
    });
    if (this.#fillsBatch) void this.#run();
    return true;
  }

  /**
   * Sends the events now in the queue. Resolves true once the service has answered for all of it, false when some of it
   * was given up or went to the store, when sending is paused, or at the deadline.
   */
  flush(timeoutMs: number): Promise<boolean> {
    const end = this.#queued;
    const lost = this.#lost;
    if (this.#settled < end) this.#sendAll();
    return this.#deps.waiters.wait(timeoutMs, () => {
      if (this.#settled >= end) return this.#lost === lost;
      return this.#isStill ? false : null;
    });
  }

  /** Flushes, and returns what the service refused. */
  async flushReport(timeoutMs: number): Promise<FlushReport> {
    const delivered = await this.flush(timeoutMs);
    const rejected = [...this.#rejected].map(([detail, count]) => ({ detail, count }));
    this.#rejected.clear();
    return { delivered, rejected };
  }

  useStore(store: OfflineStore): void {
    this.store = store;
    if (this.#isReachable) void this.#replayNext();
  }

  /** To be called when the service is known to answer: events in the store are then sent again. */
  noteReachable(): void {
    this.#isReachable = this.#mayReplay = true;
    void this.#replayNext();
  }

  async sendLast(events: readonly KeptEvent[]): Promise<void> {
    if (events.length === 0 || this.#isStill) return;
    const answer = await this.#post({ body: this.#bodyOf(events), keepalive: true });
    if (answer.verdict === "accept") this.#accept(events, answer);
  }

  get unsent(): readonly KeptEvent[] {
    return [...this.#moving, ...this.#events];
  }

  /** To be called at the end of the client: remaining events go to the store or are given up. */
  async giveUp(): Promise<void> {
    this.#cancelInterval?.();
    this.#cancelWait();
    this.#deps.waiters.check();
    await this.#moved;
    await this.#keep([...this.#events], "client closed");
    await this.store?.close();
  }

  get #settled(): number {
    return this.#queued - this.#moving.length - this.#events.size;
  }

  get #fillsBatch(): boolean {
    return this.#events.size >= MAX_BATCH_EVENTS || this.#bytes >= this.#deps.queueLimits.maxBatchBytes;
  }

  #hasRoom({ bytes }: KeptEvent): boolean {
    const { maxEvents, maxBytes } = this.#deps.queueLimits;
    return this.#events.size < maxEvents && this.#bytes + bytes <= maxBytes;
  }

  #append(events: readonly KeptEvent[]): void {
    this.#queued += events.length;
    for (const event of events) {
      this.#events.add(event);
      this.#bytes += event.bytes;
    }
  }

  #remove(events: readonly KeptEvent[]): void {
    for (const event of events) if (this.#events.delete(event)) this.#bytes -= event.bytes;
  }

  get #isStill(): boolean {
    return this.#isPaused || this.#deps.life.aborted;
  }

  #sendAll(): void {
    this.#due = this.#queued;
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    await null; // track only enqueues: the batch is built after the caller's synchronous code
    while (!this.#isStill && (this.#settled < this.#due || this.#fillsBatch)) {
      await this.#deliver(cutBatch(this.#events, this.#maxEvents, this.#deps.queueLimits.maxBatchBytes));
    }
    this.#isSending = false;
  }

  /**
   * Queues one portion of the stored events; the next follows when that is settled, so that new events get
   * their turn.
   */
  async #replayNext(): Promise<void> {
    const { store } = this;
    if (!store || !this.#mayReplay || this.#replay !== null) return;
    this.#mayReplay = false;
    const replay = await store.takeReplay();
    if (replay === null || this.#deps.life.aborted) return;
    this.#mayReplay = true;
    this.#replay = replay;
    this.#append(replay.events);
    this.#replayEnd = this.#queued;
    this.#sendAll();
  }

  #bodyOf(events: readonly KeptEvent[]): string {
    const { health } = this.#deps;
    const client = health.nulls > 0 ? `,"client":{"null_before_ready":${health.nulls}}` : "";
    health.nulls = 0;
    return `{"events":[${events.map(({ row }) => row).join(",")}]${client}}`;
  }

  /**
   * Sends one batch until its outcome is decided. The rows, and so their event ids, stay the same on each
   * try.
   */
  async #deliver(events: readonly KeptEvent[]): Promise<void> {
    const { life, random, schedule } = this.#deps;
    const body = this.#bodyOf(events);
    for (let tries = 1; ; tries++) {
      const answer = await this.#post({ body });
      if (life.aborted) return;
      if (answer.verdict !== "retry") return this.#apply(answer, events);
      if (tries >= MAX_TRIES) return this.#keep(events, `${answer.reason}, ${tries} times`);
      await new Promise<void>((resolve) => {
        this.#cancelWait = schedule(backoffMs(answer, tries, random()), resolve);
      });
    }
  }

  async #post(request: ServiceRequest): Promise<Answer> {
    const { transport, log, baseUrl } = this.#deps;
    const given = await transport(request);
    const answer = acknowledgementOf(given);
    if (answer !== given) log.once("warn", `${baseUrl} is not Assay's address? ${answer.reason}`);
    return answer;
  }

  #apply(answer: Answer, events: readonly KeptEvent[]): void {
    const { verdict } = answer;
    if (verdict === "accept") this.#accept(events, answer);
    else if (verdict === "halve" && events.length > 1) this.#maxEvents = Math.ceil(events.length / 2);
    else if (verdict === "refuse") this.#pause(PAUSE_MS);
    else {
      void this.store?.forget(events);
      void this.#keep(events, answer.reason, null);
      if (verdict === "exhaust") this.#pause(answer.retryAfterMs || PAUSE_MS);
    }
  }

  #accept(events: readonly KeptEvent[], { body }: Answer): void {
    const { log, onConfigVersion } = this.#deps;
    this.#maxEvents = Math.min(MAX_BATCH_EVENTS, this.#maxEvents * 2);
    const rejected = Array.isArray(body.rejected) ? body.rejected : [];
    const details = rejected.map((row) => textOr(fieldsOf(row).detail, "no reason"));
    for (const detail of new Set(details)) {
      const count = details.filter((other) => other === detail).length;
      log.count(`event rejected, ${detail}`, count);
      const known = this.#rejected;
      const key = known.has(detail) || known.size < MAX_REASONS ? detail : "other reasons";
      known.set(key, (known.get(key) ?? 0) + count);
    }
    if (typeof body.config_version === "number") onConfigVersion(body.config_version);
    void this.store?.forget(events);
    this.#settle(events);
    void this.#replayNext();
  }

  /** Puts undelivered events into the store. Without a store, or without room there, they are given up. */
  async #keep(events: readonly KeptEvent[], reason: string, store = this.store): Promise<void> {
    const { log } = this.#deps;
    this.#mayReplay = true;
    const lost = store ? await store.keep(events) : events.length;
    log.count(`event kept for later, ${reason}`, events.length - lost);
    log.count(`event given up, ${reason}`, lost);
    this.#lost += events.length;
    this.#settle(events);
  }

  /** Moves the older half of a full queue to the store in one write, instead of one write per event. */
  #makeRoom(): void {
    if (this.store === null || this.#moving.length > 0) return;
    this.#moving = cutBatch(this.#events, this.#events.size / 2, this.#bytes);
    this.#remove(this.#moving);
    this.#moved = this.#keep(this.#moving, "queue is full");
  }

  #settle(events: readonly KeptEvent[]): void {
    this.#remove(events);
    if (events === this.#moving) this.#moving = [];
    if (this.#settled >= this.#replayEnd) {
      void this.#replay?.release();
      this.#replay = null;
    }
    this.#deps.waiters.check();
  }

  #pause(pauseMs: number): void {
    this.#isPaused = true;
    this.#deps.waiters.check();
    this.#cancelWait = this.#deps.schedule(pauseMs, () => {
      this.#isPaused = false;
      this.#sendAll();
    });
  }
}
