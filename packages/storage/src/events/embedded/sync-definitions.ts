import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Statements that change tables rather than rows, or that the engine remembers in a file until their rows are changed. */
const DEFINES = /^\s*(CREATE|ALTER|DROP|RENAME|TRUNCATE|DELETE)\b/i;

/** Where the engine keeps definitions; in `store`, those of databases and tables are two folders deep. */
const FOLDERS: readonly (readonly [name: string, depth: number])[] = [
  ["metadata", 1],
  ["metadata_dropped", 0],
  ["store", 2],
];

/** Returns whether a statement changes files that only `syncDefinitions` syncs. */
export function changesDefinitions(sql: string): boolean {
  return DEFINES.test(sql);
}

/**
 * Syncs what the engine wrote about tables, and the folders that name it. The engine syncs the content of such a file but not its name,
 * so that a power cut could take a table away, with all rows that were acknowledged since. The rows themselves, in folders further down,
 * are synced by the engine.
 */
export async function syncDefinitions(dataDir: string): Promise<void> {
  for (const [name, depth] of FOLDERS) await syncFolder(join(dataDir, name), depth);
  await sync(dataDir);
}

async function syncFolder(folder: string, depth: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ignoreAbsent)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) await sync(path);
    else if (entry.isDirectory() && depth > 0) await syncFolder(path, depth - 1);
  }
  await sync(folder);
}

/** A file or folder that the engine removed meanwhile needs no sync. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, "r").catch(ignoreAbsent);
  if (Array.isArray(handle)) return;
  await handle.sync().finally(() => handle.close());
}

function ignoreAbsent(error: NodeJS.ErrnoException): [] {
  if (error.code !== "ENOENT") throw error;
  return [];
}
