import type { Provenance } from "../event/sources.ts";

/** The results of a batch's validation, stored with its bytes so that the consumer need not validate again. */
export interface BatchHeader {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Indexes of rejected rows, which the consumer skips. */
  readonly rejected: readonly number[];
  /** Experiment ids by the reference (id or name) in the rows. */
  readonly experiments: Readonly<Record<string, string>>;
  /** The W3C trace context of its request, when tracing is on. */
  readonly traceparent?: string | undefined;
  /** Version of the config that was used: an older config must not read the batch. Absent in batches of an earlier Assay. */
  readonly configVersion?: number;
  /** Absent in batches of an earlier version of Assay. */
  readonly provenance?: Provenance;
}

export interface QueuedBatch extends BatchHeader {
  /** Position in the queue; it grows in order of arrival. */
  readonly sequence: number;
  /** The body as received: JSON, `{"events": [...]}` or a bare array. */
  readonly body: Uint8Array;
}

export interface QueueDepth {
  readonly batches: number;
  readonly bytes: number;
  /** When the oldest waiting batch was received; null for an empty queue. */
  readonly oldestReceivedAt: number | null;
}

/** A dead letter: a batch that the event store refuses for good, set aside until an operator decides. */
export interface BuriedBatch
  extends Omit<BatchHeader, "orgId" | "rejected" | "experiments" | "configVersion" | "provenance"> {
  readonly id: string;
  /** Null for a message that another program put into the queue. */
  readonly orgId: string | null;
  readonly buriedAt: number;
  /** Why it could not be stored. */
  readonly reason: string;
  /** Size of its body. */
  readonly bytes: number;
}

/**
 * Accepted batches on their way to the event store. Delivers at least once, roughly in order of arrival. Several processes may append
 * to one queue and claim from it.
 */
export interface IngestQueue {
  /** Resolves once the batch is on disk. Throws `queue-full` when the backlog is at its limit, `storage-unavailable` when it cannot be stored. */
  append(header: BatchHeader, body: Uint8Array): Promise<void>;
  /**
   * Returns up to `limit` of the oldest waiting batches, fewer if they exceed `maxBytes`, but at least one. They go to no other caller,
   * unless this process dies before they are acked or buried.
   */
  claim(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]>;
  /** Removes claimed batches for good. */
  ack(batches: readonly QueuedBatch[]): Promise<void>;
  /** Resolves when a batch may be waiting, or after `timeoutMs`. */
  waitForBatch(timeoutMs: number): Promise<void>;
  depth(): Promise<QueueDepth>;
  /** Sequence of the newest batch on disk, 0 before the first: a barrier for `isDrainedTo`. */
  newestSequence(): Promise<number>;
  /** Returns whether every batch up to `sequence` was acked or buried. */
  isDrainedTo(sequence: number): Promise<boolean>;
  /** Moves claimed batches out of the queue to the dead letters. */
  bury(batches: readonly QueuedBatch[], reason: string): Promise<void>;
  /** Dead letters, newest first, at most `limit`. */
  listBuried(limit: number): Promise<readonly BuriedBatch[]>;
  countBuried(): Promise<number>;
  /**
   * Calls `rewrite` for every dead letter and replaces its body with the returned one; null leaves it unchanged. The bytes of the
   * previous body are removed. Returns how many were rewritten.
   */
  rewriteBuried(
    rewrite: (header: Pick<BatchHeader, "orgId" | "receivedAt">, body: Uint8Array) => Uint8Array | null,
  ): Promise<number>;
  /** Puts the given dead letters, or all of them for `null`, back into the queue; returns how many. */
  replayBuried(ids: readonly string[] | null): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
