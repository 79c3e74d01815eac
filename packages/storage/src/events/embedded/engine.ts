import { randomUUID } from "node:crypto";
import { type ChdbAddon, type ChdbConnection, loadChdbAddon } from "./chdb-addon.ts";
import type { ClickHouseRequest } from "./clickhouse-request.ts";
import { requireSafeRows } from "./insert-rows.ts";
import { type KnownStatements, knownStatements } from "./known-statements.ts";
import { Refusal } from "./refusal.ts";
import { nameSync } from "./sync-names.ts";

/** The answer to one request. */
export interface EngineResult {
  readonly bytes: Buffer;
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  readonly writtenBytes: number;
  readonly elapsedSeconds: number;
}

/** The opened data folder. */
export interface Engine {
  /** Runs one statement on its own connection; an abort kills the query, and the promise rejects. */
  run(request: ClickHouseRequest, signal: AbortSignal): Promise<EngineResult>;
  /** Resolves once the engine has computed something; simultaneous callers share one query. */
  ping(): Promise<void>;
  /** Releases the folder. Nothing may be running. */
  close(): void;
}

/** Arguments of the first connection. They configure the engine for low idle CPU and little memory, as on a laptop. */
const ENGINE_ARGS = [
  "--max_server_memory_usage=1800000000",
  "--mark_cache_size=134217728",
  "--memory_worker_period_ms=1000", // 50 by default: ten times the idle CPU
  "--max_parts_cleaning_thread_pool_size=2", // 128 by default, and threads never end
  "--max_active_parts_loading_thread_pool_size=4",
  "--max_outdated_parts_loading_thread_pool_size=2",
];

/** Arguments of every connection. Parameters count toward the query's size, so it allows a whole body. */
const CONNECTION_ARGS = [
  "--output_format_json_quote_64bit_integers=1",
  "--max_execution_time=300",
  "--max_query_size=67108864",
  "--output_format_parallel_formatting=0", // its threads take a quarter of the time of a small query
  "--input_format_parallel_parsing=0", // the service's inserts are too small to be split among threads
];

/** Statements that change the definition of a database, a table or a view. */
const DEFINES = /^\s*(CREATE|ALTER|DROP|RENAME|EXCHANGE|ATTACH|DETACH|UNDROP)\b/i;

/** Statements that write parts before they are answered. */
const WRITES_PARTS = /^\s*(INSERT|DELETE|UPDATE|OPTIMIZE|TRUNCATE)\b/i;

/** Statements without data. They can be sent in one text with the statement that sets their settings. */
const READS = /^SELECT\b/i;

/** The database of a new connection. */
const DEFAULT_DATABASE = "default";

const KILL_AGAIN_MS = 200;

/** Opens `dataDir` and locks it until `close`. Throws when another process has it open. */
export function openEngine(dataDir: string): Engine {
  const addon = loadChdbAddon();
  const keeper = addon.CreateConnection(dataDir, [...ENGINE_ARGS, ...CONNECTION_ARGS]);
  const connect: Connect = (use) => withConnection(addon, dataDir, use);
  const names = nameSync(dataDir);
  const single = knownStatements();
  let pinging: Promise<void> | null = null;
  return {
    async run(request, signal) {
      const result = await connect((connection) =>
        run(request, signal, { addon, connection, connect, single }),
      );
      if (DEFINES.test(request.sql)) await names.definitions();
      else if (WRITES_PARTS.test(request.sql)) await names.parts();
      return result;
    },
    ping() {
      pinging ??= addon
        .QueryAsyncConnection(keeper, "SELECT 1", "TSV")
        .then(() => {})
        .finally(() => {
          pinging = null;
        });
      return pinging;
    },
    close: () => addon.CloseConnection(keeper),
  };
}

type Connect = <T>(use: (connection: ChdbConnection) => Promise<T>) => Promise<T>;

interface RunDeps {
  readonly addon: ChdbAddon;
  readonly connection: ChdbConnection;
  readonly connect: Connect;
  /** The texts that are known to contain one statement. */
  readonly single: KnownStatements;
}

async function withConnection<T>(
  addon: ChdbAddon,
  dataDir: string,
  use: (connection: ChdbConnection) => Promise<T>,
): Promise<T> {
  const connection = addon.CreateConnection(dataDir, CONNECTION_ARGS);
  try {
    return await use(connection);
  } finally {
    addon.CloseConnection(connection);
  }
}

async function run(request: ClickHouseRequest, signal: AbortSignal, deps: RunDeps): Promise<EngineResult> {
  const { addon, connection, connect } = deps;
  await requireOneStatement(request.sql, deps);
  const tag = randomUUID();
  const setup = prelude(request, tag);
  const isRead = request.rows === null && READS.test(request.sql);
  if (!isRead) await addon.QueryAsyncConnection(connection, setup, "TSV");
  const stopKilling = killOnAbort(signal, () =>
    connect((other) => addon.QueryAsyncConnection(other, killStatement(tag), "TSV")),
  );
  try {
    signal.throwIfAborted();
    if (request.rows !== null) return await insert(request.sql, request.rows, deps);
    // One call of the addon costs less than two. Its answer has the rows, or the error, of either statement.
    return await query(isRead ? `${setup}; ${request.sql}` : request.sql, request.format, deps);
  } finally {
    stopKilling();
  }
}

/** Refuses a second statement, as a server does. Text that does not parse fails with the engine's explanation. */
async function requireOneStatement(sql: string, { addon, connection, single }: RunDeps): Promise<void> {
  if (single.has(sql)) return;
  const { statementCount } = await addon.DurableClassifyAsync(connection, sql, null);
  if (statementCount === 1) {
    single.add(sql);
    return;
  }
  if (statementCount === 0) {
    await addon.QueryAsyncConnection(connection, `SELECT formatQuery(${quoted(sql)})`, "Null");
  }
  throw new Refusal("not-one-statement", `A request must hold one statement, this one has ${statementCount}`);
}

async function query(sql: string, format: string, { addon, connection }: RunDeps): Promise<EngineResult> {
  const result = await addon.QueryAsyncConnection(connection, sql, format);
  return {
    bytes: result.bytes,
    readRows: result.rowsRead,
    readBytes: result.bytesRead,
    writtenRows: 0,
    writtenBytes: 0,
    elapsedSeconds: result.elapsed,
  };
}

async function insert(sql: string, rows: Buffer, { addon, connection }: RunDeps): Promise<EngineResult> {
  requireSafeRows(sql, rows);
  const written = await addon.InsertRawAsyncConnection(connection, sql, rows, false);
  return {
    bytes: Buffer.alloc(0),
    readRows: written.rowsWritten,
    readBytes: rows.length,
    writtenRows: written.rowsWritten,
    writtenBytes: written.bytesWritten,
    elapsedSeconds: written.elapsed,
  };
}

/** Sets this request's database, settings and parameters. The engine parses a parameter's text like a server's URL parameter. */
function prelude({ database, settings, params }: ClickHouseRequest, tag: string): string {
  const assignments = [
    ...[...settings].map(([name, value]) => `${name} = ${quoted(value)}`),
    ...[...params].map(([name, value]) => `param_${name} = ${quoted(value)}`),
    `log_comment = ${quoted(tag)}`,
  ];
  const use = database === null || database === DEFAULT_DATABASE ? "" : `USE \`${database}\`; `;
  return `${use}SET ${assignments.join(", ")}`;
}

const escapes: Record<string, string> = { "\\": "\\\\", "'": "\\'", "\0": "\\0" };

function quoted(text: string): string {
  return `'${text.replace(/[\\'\0]/g, (character) => escapes[character]!)}'`;
}

/** Never uses SYNC, which hangs forever. The engine does not reveal the query's id, so the tag identifies the query. */
function killStatement(tag: string): string {
  return `KILL QUERY WHERE Settings['log_comment'] = ${quoted(tag)} ASYNC`;
}

/** Repeats KILL until the query ends, because the engine may not list the query yet at the first KILL. */
function killOnAbort(signal: AbortSignal, kill: () => Promise<unknown>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const killNow = () => void kill().catch(() => {});
  const begin = () => {
    killNow();
    timer = setInterval(killNow, KILL_AGAIN_MS);
  };
  signal.addEventListener("abort", begin, { once: true });
  return () => {
    signal.removeEventListener("abort", begin);
    clearInterval(timer);
  };
}
