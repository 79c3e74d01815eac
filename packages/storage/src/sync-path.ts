import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs a file, or the names in a folder: a file that is synced itself can still lose a new name in a power cut. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
