import { existsSync } from "node:fs";
import { StartupError } from "@assay/domain";
import SqliteFile from "better-sqlite3";

/**
 * Reads every page of the control plane's file, even while a service uses it, and reports whether the file is intact. Throws a
 * `StartupError`.
 */
export function probeSqlite(path: string): string {
  if (!existsSync(path)) return "no database yet";
  const fault = findFault(path);
  if (fault === null) return "the file is whole";
  throw new StartupError(
    `the database ${path} is damaged (${fault}): restore the data folder from a backup.`,
  );
}

/** Returns SQLite's description of the damage in a file; null when there is none. */
function findFault(path: string): string | null {
  try {
    const file = new SqliteFile(path, { readonly: true });
    try {
      const first = file.pragma("quick_check(1)", { simple: true });
      return first === "ok" ? null : String(first);
    } finally {
      file.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
