import { createRequire } from "node:module";

/** A native connection: one serial line into the engine with settings and query parameters of its own. */
export type ChdbConnection = { readonly __chdbConnection: unique symbol };

/** What the addon returns for one statement. */
export interface ChdbResult {
  readonly bytes: Buffer;
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** The part of chDB's native addon that the child uses. Every call but the first two runs on libuv's pool. */
export interface ChdbAddon {
  CreateConnection(dataDir: string, args: readonly string[]): ChdbConnection;
  CloseConnection(connection: ChdbConnection): void;
  QueryAsyncConnection(connection: ChdbConnection, sql: string, format: string): Promise<ChdbResult>;
  InsertRawAsyncConnection(
    connection: ChdbConnection,
    prefix: string,
    rows: Buffer,
    countLines: boolean,
  ): Promise<{ readonly rowsWritten: number; readonly bytesWritten: number; readonly elapsed: number }>;
  DurableClassifyAsync(
    connection: ChdbConnection,
    sql: string,
    database: string | null,
  ): Promise<{ readonly statementCount: number }>;
}

/**
 * Loads chDB's native addon beneath its `Session` class.
 *
 * `Session.close()` waits for every query of the process, so with a session per request one long query keeps
 * all later sessions open: 700 small ones beside it used up 1.4 GB. The addon closes each connection at once.
 * It is not public API: the package's version is pinned, and the tests of this folder run all of it.
 */
export function loadChdbAddon(): ChdbAddon {
  const fromHere = createRequire(import.meta.url);
  const fromChdb = createRequire(fromHere.resolve("chdb"));
  const loader: { loadNative(): ChdbAddon } = fromChdb("./dist/loader.js");
  return loader.loadNative();
}
