import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@assay/domain";

// Of LMDB's file: it begins with two pages of this form, of which the one of the later transaction counts.
const META_BYTES = 160;
const MAGIC = { at: 24, value: 0xbeefc0de };
const PAGE_SIZE_AT = 48;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;

/**
 * Throws a `StartupError` when the file of the queue in `dir` is cut off or is another file. LMDB maps it without a look: the system ends a process that
 * touches a page behind its end. An empty file is a new queue.
 */
export function requireWholeFile(dir: string): void {
  const file = join(dir, "data.mdb");
  if (!existsSync(file)) return;
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    if (size > 0 && !isWhole(handle, size)) throw damagedQueue(dir);
  } finally {
    closeSync(handle);
  }
}

function isWhole(handle: number, size: number): boolean {
  const first = readMeta(handle, 0);
  const second = first === null ? null : readMeta(handle, first.pageSize);
  if (first === null || second === null) return false;
  const { lastPage, pageSize } = first.transaction > second.transaction ? first : second;
  return size >= (lastPage + 1) * pageSize;
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

export const damagedQueue = (dir: string, cause?: unknown): StartupError =>
  new StartupError(
    `The queue in ${dir} cannot be read; its file is damaged or cut off: restore the data folder from a backup.`,
    { cause },
  );

/** LMDB's own errors and the system's have the reason in their message; the process that opens the file has printed it. */
export function explainOpening(dir: string, error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  const [reason] = REFUSALS.exec(String(error)) ?? [];
  if (reason === undefined) return damagedQueue(dir, error);
  return new StartupError(
    `The queue in ${dir} cannot be opened (${reason}): check its disk, and that its folder and files belong to the service's user.`,
    { cause: error },
  );
}

const REFUSALS = /operation not permitted|permission denied|read-only file system|no space left on device/i;
