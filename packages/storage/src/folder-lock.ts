import { StartupError } from "@assay/domain";
import Database from "better-sqlite3";

/** Another live process has locked the folder. */
export class FolderLockedError extends StartupError {
  override readonly name = "FolderLockedError";
}

/**
 * Locks a folder for this process until `release`, with SQLite's file lock. The system frees the lock whenever the process ends,
 * even after `kill -9`, so a lock is never stale. Throws `FolderLockedError`.
 */
export function lockFolder(file: string): { release(): void } {
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new FolderLockedError(
      "Another Assay uses this data folder: stop it, or set ASSAY_DATA_DIR to another folder.",
    );
  }
  return { release: () => database.close() };
}
