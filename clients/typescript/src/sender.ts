import { later } from "#platform";
import type { ClientLog } from "./client-log.ts";
import { cutBatch } from "./cut-batch.ts";
import { isInteger } from "./fields.ts";
import type { KeptEvent } from "./offline-store.ts";
import type { Keeper, Outbox, QueueLimits } from "./platform.ts";
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
  readonly limits: QueueLimits;
  /** Aborting it ends everything. */
  readonly life: AbortSignal;
  readonly waiters: Waiters;
  /** Assignments that were null because no config was loaded, since the last report to the service. */
  readonly health: { nulls: number };
  /** Called with the `config_version` of each acknowledgement. */
  readonly noteVersion: (version: number) => void;
}

/** The result of `flushReport`. */
export interface FlushReport {
  /** As `flush` resolves. */
  readonly delivered: boolean;
  /** How many events the service refused since the last report, by its reasons. After 100 reasons, the rest is one count. */
  readonly rejected: readonly { readonly detail: string; readonly count: number }[];
}

/**
 * Sends events to the service in the background, one batch at a time. Undeliverable events go to the keeper, if there
 * is one, and return to the queue when the service can be reached again.
 */
export interface Sender extends Outbox {
  /** Queues an event. Returns false when there is no room. Sends nothing before the caller's synchronous code ends. */
  add(event: KeptEvent): boolean;
  /**
   * Sends the events now in the queue. Resolves true once the service has answered for all of them. Resolves false when
   * some went to the store, when an event was given up or did not fit into the queue since the last flush, when sending
   * is paused, or at the deadline.
   */
  flush(timeoutMs: number): Promise<boolean>;
  /** Flushes, and returns the events that the service refused. */
  flushReport(timeoutMs: number): Promise<FlushReport>;
  /** Call this when the service is known to answer. Kept events are then sent again. */
  noteReachable(): void;
  /** Call this when the client ends. Remaining events go to the keeper or are given up. */
  giveUp(): Promise<void>;
}

const MAX_BATCH_EVENTS = 100;

/** Makes a sender with an empty queue. */
export function createSender(deps: SenderDeps): Sender {
  const { transport, baseUrl, schedule, random, log, flushIntervalMs, limits, life, waiters, health } = deps;
  const [maxQueued, maxBytes, maxBatchBytes, firstFlushMs] = limits;
  let keeper: Keeper | null = null;
  /** The events that are not settled (delivered, kept elsewhere or given up), oldest first, and their size. */
  const events = new Set<KeptEvent>();
  let bytes = 0;
  /** How many events were ever queued, and how many of the first are due even if they do not fill a batch. */
  let queued = 0;
  let due = 0;
  /** How many events were dropped, given up or moved to the keeper. */
  let lost = 0;
  /** How many of those the next flush ignores: the keeper has them, or an earlier flush already returned false for them. */
  let told = 0;
  /** How many events the service has refused since the last report, by its reasons. */
  const rejected = new Map<string, number>();
  /** Reduced when the service refuses a batch as too large. */
  let maxEvents = MAX_BATCH_EVENTS;
  let isSending = false;
  let isPaused = false;
  let cancelInterval: Cancel | null = null;
  /** Ends the wait for the next try, or the pause. */
  let cancelWait: Cancel = () => {};
  let isReachable = false;

  const settled = () => queued - (keeper?.moving.length ?? 0) - events.size;
  const fillsBatch = () => events.size >= MAX_BATCH_EVENTS || bytes >= maxBatchBytes;
  const isStill = () => isPaused || life.aborted;
  const hasRoom = (event: KeptEvent) => events.size < maxQueued && bytes + event.bytes <= maxBytes;

  const append = (added: readonly KeptEvent[]) => {
    queued += added.length;
    for (const event of added) {
      events.add(event);
      bytes += event.bytes;
    }
  };
  const remove = (removed: readonly KeptEvent[]) => {
    for (const event of removed) if (events.delete(event)) bytes -= event.bytes;
  };
  const settle = (batch: readonly KeptEvent[], isKept = false) => {
    remove(batch);
    keeper?.noteSettled(batch, isKept);
    waiters.check();
  };
  /** Keeps undelivered events for later. Without a keeper, or without room there, they are given up. */
  const keep = async (batch: readonly KeptEvent[], reason: string, place = keeper) => {
    const left = place ? await place.keep(batch) : batch.length;
    log.count(`event kept for later, ${reason}`, batch.length - left);
    log.count(`event given up, ${reason}`, left);
    lost += batch.length;
    told += batch.length - left;
    settle(batch, place !== null);
  };
  const bodyOf = (batch: readonly KeptEvent[]) => {
    const client = health.nulls ? `,"client":{"null_before_ready":${health.nulls}}` : "";
    health.nulls = 0;
    return `{"events":[${batch.map(({ row }) => row).join(",")}]${client}}`;
  };
  const post = async (request: ServiceRequest) => {
    const given = await transport(request);
    const answer = acknowledgementOf(given);
    if (answer !== given) log.sayOnce("warn", `is ${baseUrl} Assay's address? ${answer.logText}`);
    return answer;
  };
  const accept = (batch: readonly KeptEvent[], { body }: Answer) => {
    maxEvents = Math.min(MAX_BATCH_EVENTS, maxEvents * 2);
    later(({ countRejected }) => countRejected(body.rejected, rejected, log));
    if (isInteger(body.config_version)) deps.noteVersion(body.config_version);
    settle(batch);
    keeper?.noteReachable();
  };
  const pause = (pauseMs: number) => {
    isPaused = true;
    waiters.check();
    cancelWait = schedule(pauseMs, () => {
      isPaused = false;
      sendAll();
    });
  };
  const apply = (answer: Answer, batch: readonly KeptEvent[]) => {
    const { verdict } = answer;
    if (verdict === "accept") accept(batch, answer);
    else if (verdict === "halve" && batch.length > 1) maxEvents = Math.ceil(batch.length / 2);
    else if (verdict === "refuse") pause(PAUSE_MS);
    else {
      void keep(batch, answer.logText, null);
      if (verdict === "exhaust") pause(answer.retryAfterMs || PAUSE_MS);
    }
  };
  /**
   * Sends one batch until its outcome is decided. The rows, and so their event ids, stay the same on each
   * try.
   */
  const deliver = async (batch: readonly KeptEvent[]) => {
    const body = bodyOf(batch);
    for (let tries = 1; ; tries++) {
      const answer = await post({ body });
      if (life.aborted) return;
      if (answer.verdict !== "retry") return apply(answer, batch);
      if (tries >= MAX_TRIES) return keep(batch, `${answer.logText}, ${tries} times`);
      await new Promise<void>((resolve) => {
        cancelWait = schedule(backoffMs(answer, tries, random()), resolve);
      });
    }
  };
  const run = async () => {
    if (isSending) return;
    isSending = true;
    await null; // `track` only enqueues: the batch is built after the caller's synchronous code
    while (!isStill() && (settled() < due || fillsBatch()))
      await deliver(cutBatch(events, maxEvents, maxBatchBytes));
    isSending = false;
  };
  const sendAll = () => {
    due = queued;
    void run();
  };
  const takeHalf = () => {
    const half = cutBatch(events, events.size / 2, bytes);
    remove(half);
    return half;
  };
  const resend = (kept: readonly KeptEvent[]) => {
    append(kept);
    sendAll();
    return queued;
  };
  const flush = (timeoutMs: number) => {
    const before = told;
    let end = Infinity;
    const send = () => {
      if (settled() < queued) sendAll();
    };
    // Events of calls that have ended may need the part that a page loads later.
    const cover = () => {
      send();
      end = queued;
      waiters.check();
    };
    send();
    later(cover, cover);
    return waiters.wait(timeoutMs, () => {
      if (settled() >= end) {
        told = lost;
        return lost === before;
      }
      return isStill() ? false : null;
    });
  };
  return {
    useKeeper(connect) {
      keeper = connect([life, settled, takeHalf, keep, resend]);
      if (isReachable) keeper.noteReachable();
    },
    get unsent() {
      return [...(keeper?.moving ?? []), ...events];
    },
    add(event) {
      if (!hasRoom(event)) keeper?.makeRoom();
      if (!hasRoom(event)) {
        log.count("event dropped, queue is full");
        lost++;
        return false;
      }
      const delayMs = queued ? flushIntervalMs : Math.min(flushIntervalMs, firstFlushMs);
      append([event]);
      keeper?.journal(event);
      cancelInterval ??= schedule(delayMs, () => {
        cancelInterval = null;
        sendAll();
      });
      if (fillsBatch()) void run();
      return true;
    },
    flush,
    async flushReport(timeoutMs) {
      const delivered = await flush(timeoutMs);
      const reasons = [...rejected].map(([detail, count]) => ({ detail, count }));
      rejected.clear();
      return { delivered, rejected: reasons };
    },
    noteReachable() {
      isReachable = true;
      keeper?.noteReachable(true);
    },
    async sendLast(batch) {
      if (!batch.length || isStill()) return;
      const answer = await post({ body: bodyOf(batch), keepalive: true });
      if (answer.verdict === "accept") accept(batch, answer);
    },
    async giveUp() {
      cancelInterval?.();
      cancelWait();
      waiters.check();
      const keepRest = () => keep([...events], "client closed");
      await (keeper ? keeper.close(keepRest) : keepRest());
    },
  };
}
