import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BatchHeader, BuriedBatch, IngestQueue, QueueDepth, QueuedBatch } from "@assay/domain";
import { DomainError } from "@assay/domain";
import { type Database, open, type RootDatabase } from "lmdb";
import { syncPath } from "../sync-path.ts";
import { explainOpening, mayBeCutOff } from "./lmdb-file.ts";
import { pack, unpack } from "./packed-record.ts";
import { probeLmdb } from "./probe-lmdb.ts";

/** Where the queue lives and how long it may grow. */
export interface LmdbQueueOptions {
  /** Folder of the store; created if absent. One process at a time. */
  readonly dir: string;
  /** Limit of the backlog in body bytes. */
  readonly maxBytes?: number;
  /** Limit of the backlog in batches, because each uses some memory, however small its body is. */
  readonly maxBatches?: number;
}

type Bound = Readonly<Required<Pick<LmdbQueueOptions, "maxBytes" | "maxBatches">>>;

interface Waiting {
  readonly bytes: number;
  readonly receivedAt: number;
}

/** Header of a dead letter's record. */
interface Burial extends BatchHeader {
  readonly buriedAt: number;
  readonly reason: string;
}

interface PendingWrite {
  readonly sequence: number;
  readonly record: Uint8Array;
  /** Key of the dead letter that the record replaces. */
  readonly replayed: number | null;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;
const DEFAULT_MAX_BATCHES = 1_000_000;
const RETRY_AFTER_SECONDS = 5;
const LAST_ACKED = "last-acked";

/** Opens the embedded ingest queue: one LMDB record per batch, synced to disk before `append` resolves. */
export async function openLmdbQueue({
  dir,
  maxBytes = DEFAULT_MAX_BYTES,
  maxBatches = DEFAULT_MAX_BATCHES,
}: LmdbQueueOptions): Promise<IngestQueue> {
  if (mayBeCutOff(dir)) await probeLmdb(dir);
  const env = openEnvironment(dir);
  // lmdb syncs its files, but not their names or the folder's name.
  syncPath(dir);
  syncPath(dirname(dir));
  return new LmdbQueue(env, { maxBytes, maxBatches });
}

function openEnvironment(dir: string): RootDatabase {
  try {
    // lmdb's default, overlapping sync, resolves before the sync: in a simulated power cut it lost batches. Its batching
    // by event turn creates a promise that nobody can catch when a commit fails.
    return open({
      path: dir,
      noSubdir: false,
      overlappingSync: false,
      eventTurnBatching: false,
      maxDbs: 4,
    });
  } catch (error) {
    throw explainOpening(dir, error);
  }
}

/** One record per batch under its sequence. */
class LmdbQueue implements IngestQueue {
  readonly #env: RootDatabase;
  readonly #batches: Database<Uint8Array, number>;
  readonly #state: Database<number, string>;
  /** Dead letters by the batch's former sequence. */
  readonly #buried: Database<Uint8Array, number>;
  readonly #bound: Bound;
  /** Batches on disk by sequence, ascending, because lmdb commits in the order of the puts. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #sleepers = new Set<() => void>();
  readonly #pending: PendingWrite[] = [];
  #isWriting = false;
  #waitingBytes = 0;
  readonly #inFlight = { batches: 0, bytes: 0 };
  #nextSequence: number;
  #newest: number;
  #lastAcked: number;
  #claimedUpTo = 0;

  constructor(env: RootDatabase, bound: Bound) {
    this.#env = env;
    this.#bound = bound;
    this.#batches = env.openDB({ name: "batches", encoding: "binary" });
    this.#state = env.openDB({ name: "state", encoding: "json" });
    this.#buried = env.openDB({ name: "buried", encoding: "binary" });
    this.#lastAcked = this.#state.get(LAST_ACKED) ?? 0;
    this.#newest = this.#lastAcked;
    for (const { key, value } of this.#batches.getRange()) {
      const { header, body } = unpack<BatchHeader>(value);
      this.#landed(key, body.byteLength, header.receivedAt);
    }
    this.#nextSequence = this.#newest + 1;
    this.#claimedUpTo = (this.#waiting.keys().next().value ?? this.#newest + 1) - 1;
  }

  append(header: BatchHeader, body: Uint8Array): Promise<void> {
    return this.#add(header, body, null);
  }

  async #add(header: BatchHeader, body: Uint8Array, replayed: number | null): Promise<void> {
    const bytes = body.byteLength;
    if (!this.#hasRoomFor(bytes)) {
      throw new DomainError("queue-full", "The queue of received events is full.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    const sequence = this.#nextSequence++;
    this.#inFlight.batches += 1;
    this.#inFlight.bytes += bytes;
    try {
      await this.#write({ sequence, record: pack(header, body), replayed });
    } finally {
      this.#inFlight.batches -= 1;
      this.#inFlight.bytes -= bytes;
    }
    this.#landed(sequence, bytes, header.receivedAt);
    this.#wake();
  }

  async claim(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]> {
    const claimed: QueuedBatch[] = [];
    let bytes = 0;
    // Only batches whose `append` has resolved: a commit becomes readable a moment before its promise settles.
    const range = { start: this.#claimedUpTo + 1, end: this.#newest + 1, limit };
    for (const { key: sequence, value } of this.#batches.getRange(range)) {
      const { header, body } = unpack<BatchHeader>(value);
      const batch = { ...header, sequence, body };
      if (claimed.length > 0 && bytes + batch.body.byteLength > maxBytes) break;
      claimed.push(batch);
      bytes += batch.body.byteLength;
      this.#claimedUpTo = sequence;
    }
    return claimed;
  }

  ack(batches: readonly QueuedBatch[]): Promise<void> {
    return this.#take(batches, () => []);
  }

  async bury(batches: readonly QueuedBatch[], reason: string): Promise<void> {
    const buriedAt = Date.now();
    const waiting = batches.filter(({ sequence }) => this.#waiting.has(sequence));
    await this.#take(waiting, () =>
      waiting.map(({ sequence, body, ...header }) =>
        this.#buried.put(sequence, pack({ ...header, buriedAt, reason } satisfies Burial, body)),
      ),
    );
  }

  async listBuried(limit: number): Promise<readonly BuriedBatch[]> {
    return [...this.#buried.getRange({ reverse: true, limit })].map(({ key, value }) => {
      const { header, body } = unpack<Burial>(value);
      const { orgId, receivedAt, buriedAt, reason } = header;
      return { id: String(key), orgId, receivedAt, buriedAt, reason, bytes: body.byteLength };
    });
  }

  async countBuried(): Promise<number> {
    return this.#buried.getKeysCount();
  }

  async rewriteBuried(rewrite: Parameters<IngestQueue["rewriteBuried"]>[0]): Promise<number> {
    let rewritten = 0;
    for (const key of [...this.#buried.getKeys()]) {
      // Parsing many large letters at once would block the event loop.
      await nextTurn();
      const record = this.#buried.get(key);
      if (record === undefined) continue;
      const { header, body } = unpack<Burial>(record);
      const changed = rewrite(header, body);
      if (changed === null) continue;
      await this.#commit(() => [this.#buried.put(key, pack(header, changed))]);
      rewritten += 1;
    }
    return rewritten;
  }

  async replayBuried(ids: readonly string[] | null): Promise<number> {
    const keys = ids === null ? [...this.#buried.getKeys()] : [...new Set(ids.map(Number))];
    let replayed = 0;
    for (const key of keys) {
      const record = this.#buried.get(key);
      if (record === undefined) continue;
      const { header, body } = unpack<Burial>(record);
      const { buriedAt: _, reason: __, ...batch } = header;
      await this.#add(batch, body, key);
      replayed += 1;
    }
    return replayed;
  }

  async ping(): Promise<void> {
    this.#state.get(LAST_ACKED);
  }

  /** Removes batches, and makes related writes in the same transaction. */
  async #take(batches: readonly QueuedBatch[], alongside: () => readonly Promise<boolean>[]): Promise<void> {
    if (batches.length === 0) return;
    this.#lastAcked = Math.max(this.#lastAcked, ...batches.map((batch) => batch.sequence));
    await this.#commit(() => [
      // Keeps sequences from being reused once the queue is empty.
      this.#state.put(LAST_ACKED, this.#lastAcked),
      ...batches.map(({ sequence }) => this.#batches.remove(sequence)),
      ...alongside(),
    ]);
    for (const { sequence } of batches) {
      this.#waitingBytes -= this.#waiting.get(sequence)?.bytes ?? 0;
      this.#waiting.delete(sequence);
    }
  }

  async waitForBatch(timeoutMs: number): Promise<void> {
    if (this.#claimedUpTo < this.#newest) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#sleepers.add(wake);
    });
  }

  async depth(): Promise<QueueDepth> {
    const oldest = this.#waiting.values().next().value;
    return {
      batches: this.#waiting.size,
      bytes: this.#waitingBytes,
      oldestReceivedAt: oldest?.receivedAt ?? null,
    };
  }

  async newestSequence(): Promise<number> {
    return this.#newest;
  }

  async isDrainedTo(sequence: number): Promise<boolean> {
    const oldest = this.#waiting.keys().next().value;
    return oldest === undefined || oldest > sequence;
  }

  async close(): Promise<void> {
    this.#wake();
    await this.#env.close();
  }

  /** Group commit: writes that arrive during a sync share the next transaction, and fail together. */
  #write(entry: Pick<PendingWrite, "sequence" | "record" | "replayed">): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ ...entry, resolve, reject });
      if (!this.#isWriting) void this.#writeGroups();
    });
  }

  async #writeGroups(): Promise<void> {
    this.#isWriting = true;
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0);
      try {
        await this.#commit(() => group.flatMap((entry) => this.#put(entry)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isWriting = false;
  }

  #put({ sequence, record, replayed }: PendingWrite): readonly Promise<boolean>[] {
    const put = this.#batches.put(sequence, record);
    return replayed === null ? [put] : [put, this.#buried.remove(replayed)];
  }

  /** Writes several records in one transaction. */
  #commit(write: () => readonly Promise<boolean>[]): Promise<void> {
    let writes: readonly Promise<boolean>[] = [];
    const batch = this.#env.batch(() => {
      writes = write();
    });
    return committed([batch, ...writes]);
  }

  #hasRoomFor(bytes: number): boolean {
    return (
      this.#waiting.size + this.#inFlight.batches < this.#bound.maxBatches &&
      this.#waitingBytes + this.#inFlight.bytes + bytes <= this.#bound.maxBytes
    );
  }

  #landed(sequence: number, bytes: number, receivedAt: number): void {
    this.#waiting.set(sequence, { bytes, receivedAt });
    this.#waitingBytes += bytes;
    this.#newest = Math.max(this.#newest, sequence);
  }

  #wake(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}

/** Waits until every promise of a transaction's writes has settled, so that no rejection stays unhandled. */
async function committed(writes: readonly Promise<boolean>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find((outcome) => outcome.status === "rejected");
  if (failed === undefined) return;
  // lmdb attaches the engine's own error to the rejection, as a promise that rejects later.
  const cause: unknown = await Promise.resolve(failed.reason?.commitError).catch((error: unknown) => error);
  const unavailable = new DomainError("storage-unavailable", "The event queue cannot write to its disk.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  unavailable.cause = cause ?? failed.reason;
  throw unavailable;
}
