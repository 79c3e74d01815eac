import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs a file, or the names in a folder. After a power cut, a synced file can still be lost if its new name was not synced. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
