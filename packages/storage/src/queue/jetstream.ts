import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type BatchHeader,
  type BuriedBatch,
  DomainError,
  type IngestQueue,
  type QueueDepth,
  type QueuedBatch,
  StartupError,
} from "@assay/domain";
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamState,
} from "@nats-io/jetstream";
import type { ServerInfo } from "@nats-io/transport-node";
import type { QueueTarget, RestoredBatch } from "../move/queue-target.ts";
import { DeadLetters } from "./jetstream/dead-letters.ts";
import {
  ensureStreams,
  type StreamBounds,
  type StreamNames,
  streamNames,
} from "./jetstream/ensure-streams.ts";
import { HeldBatches } from "./jetstream/held-batches.ts";
import { type NatsLine, openNatsLine } from "./jetstream/nats-line.ts";
import { publishBatch, queueFull } from "./jetstream/publish-batch.ts";
import { readServerAddress } from "./jetstream/server-address.ts";

/** Where the queue lives and how long it may grow. */
export interface JetStreamQueueOptions extends StreamBounds {
  /** Servers of one cluster, as in `ASSAY_QUEUE_URL`. */
  readonly urls: readonly string[];
  /** How long a dead process's batch waits before another process gets it. */
  readonly redeliverAfterMs?: number;
}

/** Facts about the servers, for monitoring. */
export interface JetStreamFacts {
  readonly serverVersion: string;
  /** Number of servers that keep each batch; 1 does not survive the loss of a server. */
  readonly replicas: number;
  readonly maxPayloadBytes: number;
}

const REDELIVER_AFTER_MS = 15_000;
/** The largest body that the API accepts, with room for headers. */
const NEEDED_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** Limits the bodies that wait for an acknowledgement, so that an election of some seconds does not fill the memory. */
const MAX_IN_FLIGHT_BYTES = 128 * 1024 * 1024;
const MAX_IN_FLIGHT = 20_000;
const STATE_KEPT_MS = 100;
/** A cluster that has just lost a server elects new leaders for itself, for both streams and for the consumer. */
const OPEN_FOR_MS = 30_000;
/** A caller that only inspects the queue must learn quickly that it does not respond. */
const LOOK_MS = 2_000;
/** Timeout of one request about the streams. */
const ANSWER_MS = 3_000;

/** Opens the ingest queue on NATS JetStream; creates its streams if absent. */
export async function openJetStreamQueue({
  urls,
  maxBytes,
  maxBatches,
  redeliverAfterMs = REDELIVER_AFTER_MS,
}: JetStreamQueueOptions): Promise<IngestQueue & QueueTarget & { readonly facts: JetStreamFacts }> {
  const address = readServerAddress(urls);
  const names = streamNames(address.prefix);
  const line = await openNatsLine(address);
  try {
    const { info } = line.nc;
    if (info === undefined) throw new Error("NATS sent no server information");
    requireUsable(info);
    const jsm = await jetstreamManager(line.nc, { checkAPI: false, timeout: ANSWER_MS });
    const bounds = { maxBytes, maxBatches };
    const isClustered = info.cluster !== undefined;
    const replicas = await line.persist(
      () => ensureStreams(jsm, names, { bounds, isClustered, redeliverAfterMs }),
      OPEN_FOR_MS,
    );
    const facts = { serverVersion: info.version, replicas, maxPayloadBytes: info.max_payload };
    return new JetStreamQueue({ line, jsm, names, facts, redeliverAfterMs });
  } catch (error) {
    await line.close();
    throw explainOpening(error);
  }
}

/** Throws a `StartupError` when a server is not set up for the queue. */
export function requireUsable({ max_payload, jetstream: hasJetStream, cluster }: ServerInfo): void {
  if (max_payload < NEEDED_PAYLOAD_BYTES)
    throw new StartupError(
      `NATS at ASSAY_QUEUE_URL accepts messages of at most ${max_payload} bytes: set max_payload to 8MB in the configuration of each server.`,
    );
  // In a cluster, other servers may run JetStream.
  if (hasJetStream !== true && cluster === undefined)
    throw new StartupError(
      "NATS at ASSAY_QUEUE_URL runs without JetStream: add a jetstream section with a store_dir to its configuration.",
    );
}

function explainOpening(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const said = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return new StartupError(
    `JetStream at ASSAY_QUEUE_URL cannot open Assay's streams${said}: check that most of its servers run, that they have disk space, and that the account may use streams.`,
    { cause: error },
  );
}

interface QueueParts {
  readonly line: NatsLine;
  readonly jsm: JetStreamManager;
  readonly names: StreamNames;
  readonly facts: JetStreamFacts;
  readonly redeliverAfterMs: number;
}

/** One message per batch, shared by every process on the same servers. */
class JetStreamQueue implements IngestQueue, QueueTarget {
  readonly facts: JetStreamFacts;
  readonly #line: NatsLine;
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  readonly #names: StreamNames;
  readonly #held: HeldBatches;
  readonly #deadLetters: DeadLetters;
  readonly #closing = new AbortController();
  readonly #inFlight = { batches: 0, bytes: 0 };
  #known: { readonly readAt: number; readonly state: Promise<StreamState> } | null = null;

  constructor({ line, jsm, names, facts, redeliverAfterMs }: QueueParts) {
    this.facts = facts;
    this.#line = line;
    this.#names = names;
    this.#js = jetstream(line.nc);
    this.#jsm = jsm;
    this.#deadLetters = new DeadLetters({ line, js: this.#js, jsm, names });
    this.#held = new HeldBatches({
      line,
      stream: names.events,
      consumer: names.consumer,
      redeliverAfterMs,
      onHopeless: (batch, reason) => {
        // If this fails, the batch is delivered again after the redelivery time.
        this.bury([batch], reason).catch(() => this.#held.forget(batch));
      },
    });
  }

  async append(header: BatchHeader, body: Uint8Array): Promise<void> {
    const bytes = body.byteLength;
    if (this.#inFlight.batches >= MAX_IN_FLIGHT || this.#inFlight.bytes + bytes > MAX_IN_FLIGHT_BYTES)
      throw queueFull();
    this.#inFlight.batches += 1;
    this.#inFlight.bytes += bytes;
    try {
      const publication = { subject: this.#names.eventsSubject, id: randomUUID(), header, body };
      await publishBatch(publication, this.#js, this.#line);
    } finally {
      this.#inFlight.batches -= 1;
      this.#inFlight.bytes -= bytes;
      this.#known = null;
    }
  }

  async restore({ id, header, body, burial }: RestoredBatch): Promise<void> {
    if (burial !== null) return this.#deadLetters.restore({ id, header, body, burial });
    await publishBatch({ subject: this.#names.eventsSubject, id, header, body }, this.#js, this.#line);
    this.#known = null;
  }

  claim(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]> {
    return this.#held.take(limit, maxBytes);
  }

  async ack(batches: readonly QueuedBatch[]): Promise<void> {
    await this.#held.ack(batches);
    this.#known = null;
  }

  async waitForBatch(timeoutMs: number): Promise<void> {
    if (this.#held.hasReady) return;
    const startedAt = performance.now();
    if (await this.#held.waitForOne(timeoutMs)) return;
    const leftMs = timeoutMs - (performance.now() - startedAt);
    await sleep(Math.max(0, leftMs), undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  async depth(): Promise<QueueDepth> {
    const { messages, bytes, first_ts } = await this.#state(STATE_KEPT_MS, LOOK_MS);
    return { batches: messages, bytes, oldestReceivedAt: messages === 0 ? null : Date.parse(first_ts) };
  }

  /** Asks the server every time, because a barrier must include batches that other processes appended. */
  async newestSequence(): Promise<number> {
    return (await this.#state(0)).last_seq;
  }

  async isDrainedTo(sequence: number): Promise<boolean> {
    const { messages, first_seq } = await this.#state(STATE_KEPT_MS);
    return messages === 0 || first_seq > sequence;
  }

  async bury(batches: readonly QueuedBatch[], reason: string): Promise<void> {
    const held = batches.filter(({ sequence }) => this.#held.isHeld(sequence));
    await this.#deadLetters.put(held, reason);
    await this.ack(held);
  }

  listBuried(limit: number): Promise<readonly BuriedBatch[]> {
    return this.#deadLetters.list(limit);
  }

  countBuried(): Promise<number> {
    return this.#deadLetters.count();
  }

  rewriteBuried(rewrite: Parameters<IngestQueue["rewriteBuried"]>[0]): Promise<number> {
    return this.#deadLetters.rewrite(rewrite);
  }

  async replayBuried(ids: readonly string[] | null): Promise<number> {
    const replayed = await this.#deadLetters.replay(ids);
    this.#known = null;
    return replayed;
  }

  /** Asks the leader of the stream. */
  async ping(): Promise<void> {
    await this.#line.persist(() => this.#jsm.streams.info(this.#names.events), LOOK_MS);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#held.close();
    await this.#line.close();
  }

  /** Returns the state of the stream, at most `maxAgeMs` old; simultaneous callers share the answer. */
  #state(maxAgeMs: number, retryForMs?: number): Promise<StreamState> {
    const now = performance.now();
    if (this.#known !== null && now - this.#known.readAt < maxAgeMs) return this.#known.state;
    const read = async () => (await this.#jsm.streams.info(this.#names.events)).state;
    const state = this.#line.persist(read, retryForMs);
    const known = { readAt: now, state };
    this.#known = known;
    state.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return state;
  }
}
