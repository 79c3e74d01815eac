import type { BatchHeader, QueuedBatch } from "@assay/domain";
import { createInbox, type Msg, nanos, type Subscription } from "@nats-io/transport-node";
import { type NatsLine, unavailable } from "./nats-line.ts";

/** Message header with the `BatchHeader`; the payload is the body as received. */
export const BATCH_HEADER = "Assay-Batch";

const ACK = "+ACK";
const NAK = "-NAK";
const WORKING = "+WPI";
const ANSWER_MS = 3_000;
/** Maximum size of one pull; larger than the largest batch, so that any batch fits. */
const PULL_BYTES = 8 * 1024 * 1024;
const PULL_GRACE_MS = 1_000;
/** A pull that has received something ends after this pause, because its end message may be lost in an election. */
const PULL_PAUSE_MS = 200;
/** How long a claim waits for a first batch. The consumer sees a message a moment after it was published. */
const FIRST_BATCH_MS = 25;
/** A batch that was delivered this often without being stored or buried may be crashing its workers. */
const MAX_DELIVERIES = 20;

const NO_RESPONDERS = 503;

const FOREIGN_HEADER = { orgId: "", rejected: [], experiments: {} };
const FOREIGN_REASON =
  "It is not a batch of Assay: another program put this message into the queue. Delete it from the stream of dead letters.";

interface Held {
  readonly batch: QueuedBatch;
  /** The subject for its acknowledgement. */
  readonly reply: string;
}

/** A pull request, with the fields of JetStream's API. */
interface PullRequest {
  readonly batch: number;
  /** How long to wait for the first message, in nanoseconds. */
  readonly expires?: number;
  readonly max_bytes?: number;
  readonly no_wait?: boolean;
}

interface Pull {
  /** Counts a message of this pull. */
  readonly count: () => void;
  readonly end: (isAnswered: boolean) => void;
}

interface HeldParts {
  readonly line: NatsLine;
  readonly stream: string;
  readonly consumer: string;
  readonly redeliverAfterMs: number;
  /** Called with a batch that no worker should try again. */
  readonly onHopeless: (batch: QueuedBatch, reason: string) => void;
}

/**
 * The batches that this process took from the shared consumer. No other process gets a batch while this process lives and
 * holds it. Each pull is a separate request, so that none waits forever for a server that lost it in an election.
 */
export class HeldBatches {
  readonly #parts: HeldParts;
  readonly #held = new Map<number, Held>();
  /** Held but not claimed yet. */
  readonly #ready: QueuedBatch[] = [];
  readonly #inbox = createInbox();
  readonly #subscription: Subscription;
  readonly #renewal: NodeJS.Timeout;
  /** Running pulls by the subject of their answers. */
  readonly #pulls = new Map<string, Pull>();
  #pullCount = 0;
  #lastTake: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  constructor(parts: HeldParts) {
    this.#parts = parts;
    this.#subscription = parts.line.nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
      },
    });
    this.#renewal = setInterval(() => this.#renew(), parts.redeliverAfterMs / 3).unref();
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Waits up to `timeoutMs` for a first batch. Returns false when the server cannot be reached. */
  waitForOne(timeoutMs: number): Promise<boolean> {
    return this.#ask({ batch: 1, expires: nanos(timeoutMs) }, timeoutMs);
  }

  /** Takes ready batches and pulls the rest, in order of arrival; calls run one at a time. */
  take(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]> {
    const take = this.#lastTake.then(() => this.#takeNow(limit, maxBytes));
    this.#lastTake = take.catch(() => undefined);
    return take;
  }

  async #takeNow(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]> {
    const taken = this.#takeReady(limit, maxBytes, []);
    if (this.#ready.length > 0 || taken.length >= limit) return taken;
    const isAnswered = await this.#ask(
      { batch: limit - taken.length, max_bytes: PULL_BYTES, no_wait: true, expires: nanos(FIRST_BATCH_MS) },
      FIRST_BATCH_MS,
    );
    const all = this.#takeReady(limit, maxBytes, taken);
    if (all.length === 0 && !isAnswered && !this.#isClosing) throw unavailable("a pull was not answered");
    return all;
  }

  isHeld(sequence: number): boolean {
    return this.#held.has(sequence);
  }

  /** Stops holding a batch without telling the server, which then delivers it again. */
  forget({ sequence }: QueuedBatch): void {
    this.#held.delete(sequence);
  }

  /** Acknowledges batches and waits for the server to confirm each. */
  async ack(batches: readonly QueuedBatch[]): Promise<void> {
    const { line } = this.#parts;
    const outcomes = await Promise.allSettled(
      batches.map(async ({ sequence }) => {
        const held = this.#held.get(sequence);
        if (held === undefined) return;
        // Read at each attempt, because a redelivered batch has a new reply subject.
        const reply = () => this.#held.get(sequence)?.reply ?? held.reply;
        await line.persist(() => line.nc.request(reply(), ACK, { timeout: ANSWER_MS }));
        this.#held.delete(sequence);
      }),
    );
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** Returns the held batches, so that other processes get them at once. */
  close(): void {
    this.#isClosing = true;
    clearInterval(this.#renewal);
    for (const pull of this.#pulls.values()) pull.end(false);
    this.#subscription.unsubscribe();
    if (!this.#parts.line.isUp) return;
    for (const { reply } of this.#held.values()) this.#parts.line.nc.publish(reply, NAK);
  }

  #takeReady(limit: number, maxBytes: number, taken: readonly QueuedBatch[]): readonly QueuedBatch[] {
    const all = [...taken];
    let bytes = all.reduce((sum, { body }) => sum + body.byteLength, 0);
    let count = 0;
    for (const batch of this.#ready) {
      const isTooMuch = all.length > 0 && bytes + batch.body.byteLength > maxBytes;
      if (all.length >= limit || isTooMuch) break;
      all.push(batch);
      bytes += batch.body.byteLength;
      count += 1;
    }
    this.#ready.splice(0, count);
    return all;
  }

  /** Sends a pull request. Resolves when it ends, with false when nothing responded. */
  async #ask(request: PullRequest, timeoutMs: number): Promise<boolean> {
    const { line, stream, consumer } = this.#parts;
    if (this.#isClosing || !line.isUp) return false;
    const subject = `${this.#inbox}.${++this.#pullCount}`;
    const isAnswered = await new Promise<boolean>((resolve) => {
      let timer = setTimeout(() => resolve(false), timeoutMs + PULL_GRACE_MS);
      const end = (answered: boolean) => {
        clearTimeout(timer);
        resolve(answered);
      };
      let wanted = request.batch;
      const count = () => {
        wanted -= 1;
        clearTimeout(timer);
        if (wanted === 0) resolve(true);
        else timer = setTimeout(() => resolve(true), PULL_PAUSE_MS);
      };
      this.#pulls.set(subject, { count, end });
      line.nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(request), {
        reply: subject,
      });
    });
    this.#pulls.delete(subject);
    return isAnswered;
  }

  #receive(message: Msg): void {
    if (message.reply?.startsWith("$JS.ACK.")) this.#hold(message, message.reply);
    else this.#pulls.get(message.subject)?.end(message.headers?.code !== NO_RESPONDERS);
  }

  #hold(message: Msg, reply: string): void {
    const { sequence, deliveries, publishedAt } = readDelivery(reply);
    const known = this.#held.get(sequence);
    const header = readHeader(message);
    const batch = known?.batch ?? {
      ...(header ?? { ...FOREIGN_HEADER, receivedAt: publishedAt }),
      sequence,
      body: message.data,
    };
    this.#held.set(sequence, { batch, reply });
    if (known === undefined) {
      const { onHopeless } = this.#parts;
      if (header === null) onHopeless(batch, FOREIGN_REASON);
      else if (deliveries > MAX_DELIVERIES)
        onHopeless(
          batch,
          `It was delivered to workers ${deliveries - 1} times and neither stored nor refused.`,
        );
      else this.#ready.push(batch);
    }
    // A message does not say which pull it answers.
    for (const pull of this.#pulls.values()) pull.count();
  }

  #renew(): void {
    if (!this.#parts.line.isUp) return;
    for (const { reply } of this.#held.values()) this.#parts.line.nc.publish(reply, WORKING);
  }
}

/** Parses a delivery from the subject of its acknowledgement. */
function readDelivery(reply: string) {
  const tokens = reply.split(".");
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<of the consumer>.<nanoseconds>…; newer servers may put domain and account
  // before the stream.
  const at = tokens.length < 11 ? 4 : 6;
  return {
    deliveries: Number(tokens[at]),
    sequence: Number(tokens[at + 1]),
    publishedAt: Math.floor(Number(tokens[at + 3]) / 1e6),
  };
}

/** Null for a message from another program: anyone with write access to the server can publish one. */
function readHeader({ headers }: Msg): BatchHeader | null {
  try {
    const header = JSON.parse(headers?.get(BATCH_HEADER) ?? "") as Partial<BatchHeader> | null;
    const { orgId, receivedAt, rejected, experiments } = header ?? {};
    const isWhole = orgId && Number.isFinite(receivedAt) && Array.isArray(rejected) && experiments;
    return isWhole ? (header as BatchHeader) : null;
  } catch {
    return null;
  }
}
