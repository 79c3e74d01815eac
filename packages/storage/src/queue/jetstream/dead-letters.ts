import {
  type BatchHeader,
  type BuriedBatch,
  DomainError,
  type IngestQueue,
  type QueuedBatch,
} from "@assay/domain";
import type { JetStreamClient, JetStreamManager, StoredMsg } from "@nats-io/jetstream";
import type { Burial, RestoredBatch } from "../../move/queue-target.ts";
import type { StreamNames } from "./ensure-streams.ts";
import { BATCH_HEADER } from "./held-batches.ts";
import type { NatsLine } from "./nats-line.ts";
import { publishBatch } from "./publish-batch.ts";

/** Header of a dead letter with the time and the reason of its burial. */
const BURIAL_HEADER = "Assay-Burial";
/** Only a few at a time, because each is read with its body. */
const READ_AT_ONCE = 10;
/** Counts are read often, so they fail quickly when the server does not respond. */
const LOOK_MS = 2_000;

interface DeadLetterParts {
  readonly line: NatsLine;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly names: StreamNames;
}

/** The stream of batches that the event store permanently rejected. Their ids are its sequences. */
export class DeadLetters {
  readonly #parts: DeadLetterParts;

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
  }

  /** Stores batches; a batch that is buried twice within a minute is stored once. */
  async put(batches: readonly QueuedBatch[], reason: string): Promise<void> {
    const burial: Burial = { buriedAt: Date.now(), reason };
    await Promise.all(
      batches.map(({ sequence, body, ...header }) =>
        this.restore({ id: `buried-${sequence}`, header, body, burial }),
      ),
    );
  }

  /** Stores a batch that was buried here or in another queue. */
  restore({ id, header, body, burial }: RestoredBatch & { readonly burial: Burial }): Promise<void> {
    const { line, js, names } = this.#parts;
    const extra = { [BURIAL_HEADER]: burial };
    const publication = { subject: names.deadLettersSubject, id, header, body, extra };
    return publishBatch(publication, js, line).catch((error: unknown) => {
      throw isQueueFull(error) ? lettersFull(names.deadLetters) : error;
    });
  }

  async list(limit: number): Promise<readonly BuriedBatch[]> {
    const sequences = await this.#sequences(limit);
    const letters: BuriedBatch[] = [];
    for (let at = 0; at < sequences.length; at += READ_AT_ONCE) {
      const page = await Promise.all(sequences.slice(at, at + READ_AT_ONCE).map((seq) => this.#read(seq)));
      for (const message of page) if (message !== null) letters.push(toBuried(message));
    }
    return letters;
  }

  async count(): Promise<number> {
    const { line, jsm, names } = this.#parts;
    const read = async () => (await jsm.streams.info(names.deadLetters)).state.messages;
    return line.persist(read, LOOK_MS);
  }

  /** Replaces each letter that changes. After a crash in between, the next rewrite stores the new letter twice, which is harmless. */
  async rewrite(change: Parameters<IngestQueue["rewriteBuried"]>[0]): Promise<number> {
    const { line, jsm, names } = this.#parts;
    let rewritten = 0;
    for (const seq of (await this.#sequences(Number.POSITIVE_INFINITY)).toReversed()) {
      const message = await this.#read(seq);
      if (message === null) continue;
      const { header, burial } = readHeaders(message);
      const body = change(header, message.data);
      if (body === null) continue;
      await this.restore({ id: `rewritten-${seq}`, header, body, burial });
      // `true`: the server overwrites the bytes of the deleted message.
      await line.persist(() => jsm.streams.deleteMessage(names.deadLetters, seq, true));
      rewritten += 1;
    }
    return rewritten;
  }

  /** Puts letters back into the queue one by one, oldest first; a crash in between loses none. */
  async replay(ids: readonly string[] | null): Promise<number> {
    const sequences =
      ids === null
        ? (await this.#sequences(Number.POSITIVE_INFINITY)).toReversed()
        : [...new Set(ids.map(Number))].filter((seq) => Number.isSafeInteger(seq) && seq > 0);
    let replayed = 0;
    for (const seq of sequences) if (await this.#replayOne(seq)) replayed += 1;
    return replayed;
  }

  async #replayOne(seq: number): Promise<boolean> {
    const { line, js, jsm, names } = this.#parts;
    const message = await this.#read(seq);
    if (message === null) return false;
    const { header } = readHeaders(message);
    await publishBatch(
      { subject: names.eventsSubject, id: `replayed-${seq}`, header, body: message.data },
      js,
      line,
    );
    await line.persist(() => jsm.streams.deleteMessage(names.deadLetters, seq, false));
    return true;
  }

  #read(seq: number): Promise<StoredMsg | null> {
    const { line, jsm, names } = this.#parts;
    return line.persist(() => jsm.streams.getMessage(names.deadLetters, { seq }));
  }

  /** Lists the newest `limit` sequences, newest first. */
  async #sequences(limit: number): Promise<readonly number[]> {
    const { line, jsm, names } = this.#parts;
    const { state } = await line.persist(() =>
      jsm.streams.info(names.deadLetters, { deleted_details: true }),
    );
    const deleted = new Set(state.deleted ?? []);
    const sequences: number[] = [];
    for (let seq = state.last_seq; seq >= state.first_seq && seq > 0 && sequences.length < limit; seq -= 1) {
      if (!deleted.has(seq)) sequences.push(seq);
    }
    return sequences;
  }
}

const isQueueFull = (error: unknown) => error instanceof DomainError && error.kind === "queue-full";

const lettersFull = (stream: string) =>
  new DomainError(
    "queue-full",
    `The stream of dead letters, ${stream}, is full: replay dead letters, or raise its limit.`,
  );

function readHeaders({ header }: StoredMsg): { readonly header: BatchHeader; readonly burial: Burial } {
  return {
    header: JSON.parse(header.get(BATCH_HEADER)) as BatchHeader,
    burial: JSON.parse(header.get(BURIAL_HEADER)) as Burial,
  };
}

function toBuried(message: StoredMsg): BuriedBatch {
  const { header, burial } = readHeaders(message);
  const { orgId, receivedAt } = header;
  const bytes = message.data.byteLength;
  return { id: String(message.seq), orgId: orgId || null, receivedAt, ...burial, bytes };
}
