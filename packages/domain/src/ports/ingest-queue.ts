/** What the server learned while it validated a batch, kept with the bytes so that nothing is decided twice. */
export interface BatchHeader {
  readonly orgId: string;
  readonly receivedAt: number;
  /** Indexes of rows that were refused: the consumer passes over them. */
  readonly rejected: readonly number[];
  /** Experiment id by the reference (id or name) that rows used. */
  readonly experiments: Readonly<Record<string, string>>;
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

/** Accepted batches on their way to the event store. Delivers at least once, in order of arrival. */
export interface IngestQueue {
  /** Resolves once the batch is on disk. Throws `queue-full` when the backlog is at its bound, `storage-unavailable` when the disk fails. */
  append(header: BatchHeader, body: Uint8Array): Promise<void>;
  /** Returns up to `limit` of the oldest waiting batches, or fewer when their bytes pass `maxBytes` (at least one). They stay until acked. */
  claim(limit: number, maxBytes: number): Promise<readonly QueuedBatch[]>;
  /** Removes claimed batches for good. */
  ack(batches: readonly QueuedBatch[]): Promise<void>;
  /** Resolves when a batch may be waiting, or after `timeoutMs`. */
  waitForBatch(timeoutMs: number): Promise<void>;
  depth(): QueueDepth;
  /** Sequence of the newest batch on disk, 0 before the first ever: a barrier for `isDrainedTo`. */
  newestSequence(): number;
  /** Tells whether every batch up to `sequence` was acked. */
  isDrainedTo(sequence: number): boolean;
  close(): Promise<void>;
}
