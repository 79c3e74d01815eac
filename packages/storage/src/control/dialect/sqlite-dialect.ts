import { setTimeout as sleep } from "node:timers/promises";
import type { Database as SqliteFile, Statement } from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import type { ControlAdapter, ControlDialect } from "./dialect.ts";
import { isBusy } from "./engine-errors.ts";

/** How long a write waits for another process to finish writing. */
const BUSY_LIMIT_MS = 5_000;
const BUSY_PAUSE_MS = 10;
/** Limits the cache, because lists of different lengths need separate statements. */
const MAX_PREPARED = 500;

/**
 * Creates the Kysely dialect of an open SQLite file. Unlike Kysely's own dialect, it supports several processes on one
 * file: transactions take the write lock at once, and waiting for it does not block the event loop.
 */
export function sqliteDialect(file: SqliteFile): Dialect {
  const base = new SqliteDialect({ database: file });
  return {
    createDriver: () => new SharedSqliteDriver(file),
    createAdapter: () => new ControlSqliteAdapter(),
    createQueryCompiler: () => base.createQueryCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}

/**
 * Transactions take the write lock when they begin, and no other process caches the data. So there is nothing to lock
 * and nobody to notify.
 */
const CONTROL: ControlDialect = {
  name: "sqlite",
  codePointText: "text",
  findSchema: async () => undefined,
  lockTable: async () => {},
  lockRows: (query) => query,
  skipLocked: (query) => query,
  notifyChange: async () => {},
};

class ControlSqliteAdapter extends SqliteAdapter implements ControlAdapter {
  readonly control = CONTROL;

  /** Runs all migrations in one transaction, which also makes a second process wait for the first. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SharedSqliteDriver extends SqliteDriver {
  readonly #file: SqliteFile;
  #connection: DatabaseConnection | undefined;

  constructor(file: SqliteFile) {
    super({ database: { prepare: prepareOnce(file), close: () => file.close() } });
    this.#file = file;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= waitingConnection(await super.acquireConnection(), this.#file);
    return this.#connection;
  }

  /**
   * A deferred transaction that reads before it writes fails when another process writes in between.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** After a full disk or an I/O error, SQLite has already rolled back. A second rollback would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Caches the most recently used statements: SQLite takes longer to prepare a typical statement than to run it. */
function prepareOnce(file: SqliteFile): (sql: string) => Statement {
  const prepared = new Map<string, Statement>();
  return (sql) => {
    const statement = prepared.get(sql) ?? file.prepare(sql);
    // A Map lists its keys in insertion order, so the oldest comes first.
    prepared.delete(sql);
    prepared.set(sql, statement);
    if (prepared.size > MAX_PREPARED) prepared.delete(prepared.keys().next().value!);
    return statement;
  };
}

/** Repeats a statement while another process writes. Inside a transaction, the lock is already held. */
function waitingConnection(connection: DatabaseConnection, file: SqliteFile): DatabaseConnection {
  return {
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const deadline = performance.now() + BUSY_LIMIT_MS;
      for (;;) {
        try {
          return await connection.executeQuery<R>(query);
        } catch (error) {
          if (!isBusy(error) || file.inTransaction || performance.now() >= deadline) throw error;
          await sleep(1 + Math.random() * BUSY_PAUSE_MS);
        }
      }
    },
  };
}
