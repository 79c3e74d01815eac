import type { BatchHeader, IngestQueue } from "@assay/domain";

/** When and why a batch became a dead letter. */
export interface Burial {
  readonly buriedAt: number;
  readonly reason: string;
}

/** A batch of another queue. */
export interface RestoredBatch {
  /** The same each time the batch is sent: within its deduplication window, the queue keeps it once. */
  readonly id: string;
  readonly header: BatchHeader;
  readonly body: Uint8Array;
  readonly burial: Burial | null;
}

/** A queue that accepts the batches of another. */
export interface QueueTarget
  extends Pick<IngestQueue, "depth" | "newestSequence" | "countBuried" | "listBuried" | "close"> {
  restore(batch: RestoredBatch): Promise<void>;
}
