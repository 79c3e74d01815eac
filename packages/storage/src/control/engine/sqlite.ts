import { closeSync, openSync } from "node:fs";
import { type ControlPlane, type Coordination, createKeyedMutex, StartupError } from "@assay/domain";
import SqliteFile from "better-sqlite3";
import { CamelCasePlugin, Kysely } from "kysely";
import { createControlPlane } from "../control-plane.ts";
import { sqliteDialect } from "../dialect/sqlite-dialect.ts";
import { upgradeSchema } from "../schema/migrator.ts";
import type { Database } from "../schema/schema.ts";
import { runForLeader } from "./leader-election.ts";

const OPEN_TIMEOUT_MS = 5_000;
/** How long SQLite itself waits for a lock, which blocks the event loop; then the dialect waits without blocking. */
const BUSY_TIMEOUT_MS = 5;

export interface SqliteOptions {
  /** Path of the database file, in a folder that exists. */
  readonly file: string;
  /** Creates the ids of orgs and users. */
  readonly newId: () => string;
}

/**
 * Opens the control plane in one SQLite file, created with mode 0600 if absent. When a store's promise resolves, its
 * writes are on disk. Throws a `StartupError`.
 */
export const openSqliteControlPlane = ({ file, newId }: SqliteOptions): ControlPlane =>
  sqliteControlPlane(openSqliteFile(file), newId);

/** Creates the control plane of an open file and closes the file with it. */
export function sqliteControlPlane(file: SqliteFile.Database, newId: () => string): ControlPlane {
  const db = new Kysely<Database>({ dialect: sqliteDialect(file), plugins: [new CamelCasePlugin()] });
  // Kysely closes only a file that it has used; closing twice is harmless.
  return createControlPlane(db, {
    newId,
    isShared: false,
    coordination: singleProcess(),
    migrate: () => upgradeSchema(db),
    release: () => file.close(),
  });
}

/**
 * The coordination of a process with exclusive use of its database: nothing else changes the data, and it is always the
 * leader.
 */
const singleProcess = (): Coordination => ({
  watchChanges: async () => ({
    isCurrent: () => true,
    untilPropagated: async () => {},
    close: async () => {},
  }),
  electLeader: (work) =>
    runForLeader(work, async () => ({ lost: new Promise(() => {}), resign: async () => {} })),
  withLock: createKeyedMutex(),
});

/** Opens the file with the settings that the control plane needs. Throws a `StartupError`. */
export function openSqliteFile(path: string): SqliteFile.Database {
  try {
    closeSync(openSync(path, "a", 0o600));
    return configure(new SqliteFile(path, { timeout: OPEN_TIMEOUT_MS }));
  } catch (error) {
    throw new StartupError(`Cannot open the control-plane database ${path}: ${remedyOf(error)}.`, {
      cause: error,
    });
  }
}

function configure(file: SqliteFile.Database): SqliteFile.Database {
  try {
    const mode = file.pragma("journal_mode = WAL", { simple: true });
    if (mode !== "wal")
      throw new Error("its file system does not support a write-ahead log; use a local disk");
    file.pragma("synchronous = FULL");
    file.pragma("foreign_keys = ON");
    file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

const REMEDIES: readonly (readonly [codes: RegExp, remedy: string])[] = [
  [/^ENOENT/, "its folder does not exist; create the folder or correct ASSAY_DATA_DIR"],
  [/^(EACCES|EPERM)/, "this user may not write to it; change its owner or mode, or run as another user"],
  [/^(EROFS|SQLITE_READONLY)/, "the file or its folder is read-only; make both writable"],
  [/^SQLITE_CANTOPEN/, "SQLite cannot create its log beside the file; make the folder writable"],
  [/^(EISDIR|ENOTDIR)/, "the path does not name a file; correct ASSAY_DATA_DIR"],
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/, "the disk is full; free space on it"],
  [/^(SQLITE_NOTADB|SQLITE_CORRUPT)/, "it is damaged or not a database; restore it from a backup"],
  [/^SQLITE_(BUSY|LOCKED)/, "another program has locked it; stop that program"],
  [/^(EIO|SQLITE_IOERR)/, "the disk fails to read or write; check it and the system log"],
];

function remedyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REMEDIES.find(([codes]) => codes.test(code))?.[1] ?? error.message;
}
