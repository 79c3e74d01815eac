import { existsSync } from "node:fs";
import { StartupError } from "@assay/domain";
import SqliteFile from "better-sqlite3";

/**
 * Reads every page of the control plane's file, which a service may be using, and says in words whether it is whole. Throws a
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

/** What is wrong with a file, in SQLite's words. */
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
