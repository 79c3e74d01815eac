import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Syncs what the engine itself leaves in the page cache. A name is on disk once its folder is synced. */
export interface NameSync {
  /**
   * Call after a statement that changes definitions. Syncs the definitions and all folders down to the tables' folders.
   */
  definitions(): Promise<void>;
  /** Call after an insert. Syncs the tables' folders: the engine has synced the new parts, but not their names. */
  parts(): Promise<void>;
}

/** No file system has coarser times. A path that changed more recently is synced again next time. */
const COARSE_MS = 2_000;
/** The folder of a table is `store/<prefix>/<table>`. */
const TABLE_DEPTH = 3;

/** Tracks the names in a data folder of the engine; skips paths that have not changed since their last sync. */
export function nameSync(dataDir: string): NameSync {
  const synced = new Map<string, number>();
  let tables: readonly string[] | null = null;
  const syncChanged = async (path: string) => {
    const { ctimeMs } = await stat(path);
    if (synced.get(path) === ctimeMs) return;
    const isSettled = Date.now() - ctimeMs > COARSE_MS;
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
    if (isSettled) synced.set(path, ctimeMs);
  };
  const syncFolder = async (folder: string, depth: number, found: string[]) => {
    if (depth === TABLE_DEPTH) found.push(folder);
    for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isFile()) await unlessGone(syncChanged(path));
      else if (entry.isDirectory() && depth < TABLE_DEPTH) await syncFolder(path, depth + 1, found);
    }
    await unlessGone(syncChanged(folder));
  };
  const definitions = async () => {
    const found: string[] = [];
    await syncFolder(dataDir, 0, found);
    tables = found;
  };
  return {
    definitions,
    async parts() {
      if (tables === null) await definitions();
      else await Promise.all(tables.map((table) => unlessGone(syncChanged(table))));
    },
  };
}

/** The engine may remove files and folders at any time. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}
