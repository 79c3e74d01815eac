import { createRequire } from "node:module";

/** A native connection: runs one statement at a time, with its own settings and query parameters. */
export type ChdbConnection = { readonly __chdbConnection: unique symbol };

/** The addon's result of one statement. */
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
 * Loads the native addon below chDB's `Session` class.
 *
 * `Session.close()` waits for every query of the process. With a session per request, one long query keeps all later
 * sessions open: 700 small ones used 1.4 GB. The addon closes each connection at once. It is not public API, so the
 * package's version is pinned, and the tests in this folder cover all calls.
 */
export function loadChdbAddon(): ChdbAddon {
  const fromHere = createRequire(import.meta.url);
  const fromChdb = createRequire(fromHere.resolve("chdb"));
  const loader: { loadNative(): ChdbAddon } = fromChdb("./dist/loader.js");
  return loader.loadNative();
}
