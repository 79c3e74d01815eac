import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@assay/domain";

// LMDB's file begins with two meta pages of this form. The one with the later transaction is valid.
const META_BYTES = 160;
const MAGIC = { at: 24, value: 0xbeefc0de };
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;

const QUEUE_FILE = "data.mdb";

/** Whether the folder has the file of a queue. */
export const hasQueue = (dir: string): boolean => existsSync(join(dir, QUEUE_FILE));

/**
 * Returns whether the file of the queue in `dir` ends before its last page. Then it was either cut off, or the page was freed in the
 * transaction that allocated it, and nothing uses it. Throws a `StartupError` when the file is not LMDB's, because LMDB would map it
 * without checking. An empty file is a new queue.
 */
export function mayBeCutOff(dir: string): boolean {
  if (!hasQueue(dir)) return false;
  const handle = openSync(join(dir, QUEUE_FILE), "r");
  try {
    const { size } = fstatSync(handle);
    return size > 0 && size < bytesOf(handle, dir);
  } finally {
    closeSync(handle);
  }
}

function bytesOf(handle: number, dir: string): number {
  const first = readMeta(handle, 0);
  const second = first === null ? null : readMeta(handle, first.pageSize);
  if (first === null || second === null) throw damagedQueue(dir);
  const { lastPage, pageSize } = first.transaction > second.transaction ? first : second;
  return (lastPage + 1) * pageSize;
}

function readMeta(handle: number, position: number) {
  const meta = Buffer.alloc(META_BYTES);
  readSync(handle, meta, { position });
  if (meta.readUInt32LE(MAGIC.at) !== MAGIC.value) return null;
  return {
    pageSize: meta.readUInt32LE(PAGE_SIZE_AT),
    lastPage: Number(meta.readBigUInt64LE(LAST_PAGE_AT)),
    transaction: Number(meta.readBigUInt64LE(TRANSACTION_AT)),
  };
}

/** LMDB's names for its errors. */
const DAMAGE = /\bMDB_/;
const REFUSALS = /operation not permitted|permission denied|read-only file system|no space left on device/i;

/** Explains why the queue in `dir` could not be opened: the system denied access, or it is damaged. Returns other errors unchanged. */
export function explainOpening(dir: string, error: unknown): unknown {
  const text = String(error);
  const [reason] = REFUSALS.exec(text) ?? [];
  if (reason === undefined) return DAMAGE.test(text) ? damagedQueue(dir, error) : error;
  return new StartupError(
    `The queue in ${dir} cannot be opened (${reason}): check its disk, and that its folder and files belong to the service's user.`,
    { cause: error },
  );
}

/** The error for a queue that cannot be read. */
export const damagedQueue = (dir: string, cause?: unknown): StartupError =>
  new StartupError(
    `The queue in ${dir} cannot be read; its file is damaged or cut off: restore the data folder from a backup.`,
    { cause },
  );
