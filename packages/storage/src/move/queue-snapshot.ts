import type { BatchHeader } from "@assay/domain";
import { type Database, open } from "lmdb";
import { unpack } from "../queue/packed-record.ts";
import type { Burial } from "./queue-target.ts";

/** A batch as a queue stores it. */
export interface KeptBatch {
  readonly sequence: number;
  readonly header: BatchHeader;
  readonly body: Uint8Array;
  /** Null: the batch waits for the event store. */
  readonly burial: Burial | null;
}

/** The content of an embedded queue, opened read-only. */
export interface QueueSnapshot {
  readonly waiting: number;
  readonly buried: number;
  /** The waiting batches, then the dead letters, each in order. */
  batches(): Iterable<KeptBatch>;
  close(): Promise<void>;
}

type Records = Database<Uint8Array, number>;

/** Opens the queue in an existing folder. It removes nothing. */
export function openQueueSnapshot(dir: string): QueueSnapshot {
  const env = open({ path: dir, noSubdir: false, readOnly: true, maxDbs: 4 });
  const openRecords = (name: string): Records | undefined => env.openDB({ name, encoding: "binary" });
  const [waiting, buried] = [openRecords("batches"), openRecords("buried")];
  return {
    waiting: waiting?.getKeysCount() ?? 0,
    buried: buried?.getKeysCount() ?? 0,
    *batches() {
      for (const { key, value } of waiting?.getRange() ?? [])
        yield { sequence: key, ...unpack<BatchHeader>(value), burial: null };
      for (const { key, value } of buried?.getRange() ?? []) yield buriedBatch(key, value);
    },
    close: () => env.close(),
  };
}

function buriedBatch(sequence: number, record: Uint8Array): KeptBatch {
  const { header, body } = unpack<BatchHeader & Burial>(record);
  const { buriedAt, reason, ...batch } = header;
  return { sequence, header: batch, body, burial: { buriedAt, reason } };
}
