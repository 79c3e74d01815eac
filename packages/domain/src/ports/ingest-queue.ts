/** What the server learned while it validated a batch, kept with the bytes so that nothing is decided twice. */
export interface BatchHeader {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Indexes of rows that were refused: the consumer passes over them. */
  readonly rejected: readonly number[];
  /** Experiment id by the reference (id or name) that rows used. */
  readonly experiments: Readonly<Record<string, string>>;
  /** The W3C trace that it came in, where traces are kept. */
  readonly traceparent?: string | undefined;
  /** Of the config that this was decided by: an older one must not read the batch. Absent: of an earlier version of Assay. */
  readonly configVersion?: number;
}

export interface QueuedBatch extends BatchHeader {
  /** Position in the queue, ascending in order of arrival. */
  readonly sequence: number;
  /** The body as received: JSON, `{"events": [...]}` or a bare array. */
  readonly body: Uint8Array;
}

export interface QueueDepth {
  readonly batches: number;
  readonly bytes: number;
  /** When the oldest waiting batch was received; null when the queue is empty. */
  readonly oldestReceivedAt: number | null;
}

/** A batch that the event store refuses for good, out of the way of the others until an operator decides. */
export interface BuriedBatch extends Omit<BatchHeader, "rejected" | "experiments" | "configVersion"> {
  readonly id: string;
  readonly buriedAt: number;
  /** Why it could not be stored. */
  readonly reason: string;
  /** Size of its body. */
  readonly bytes: number;
}

/**
 * Accepted batches on their way to the event store. Delivers at least once, about in order of arrival. Several processes may
 * append to one queue and claim from it.
 */
export interface IngestQueue {
  /** Resolves once the batch is on disk. Throws `queue-full` when the backlog is at its bound, `storage-unavailable` when it cannot be kept. */
  append(header: BatchHeader, body: Uint8Array): Promise<void>;
  /**
   * Returns up to `limit` of the oldest waiting batches, or fewer when their bytes pass `maxBytes` (at least one). Nobody else
   * gets them until they are acked or buried; those of a process that is gone go to another.
   */
  claim(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]>;
  /** Removes claimed batches for good. */
  ack(batches: readonly QueuedBatch[]): Promise<void>;
  /** Resolves when a batch may be waiting, or after `timeoutMs`. */
  waitForBatch(timeoutMs: number): Promise<void>;
  depth(): Promise<QueueDepth>;
  /** Sequence of the newest batch on disk, 0 before the first ever: a barrier for `isDrainedTo`. */
  newestSequence(): Promise<number>;
  /** Tells whether every batch up to `sequence` was acked or buried. */
  isDrainedTo(sequence: number): Promise<boolean>;
  /** Takes claimed batches out of the queue and keeps them as dead letters. */
  bury(batches: readonly QueuedBatch[], reason: string): Promise<void>;
  /** The dead letters, newest first, `limit` at most. */
  listBuried(limit: number): Promise<readonly BuriedBatch[]>;
  countBuried(): Promise<number>;
  /** Puts dead letters back into the queue, all of them when `ids` is null; returns how many. */
  replayBuried(ids: readonly string[] | null): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
