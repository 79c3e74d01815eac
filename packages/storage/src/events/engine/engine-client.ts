import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { DomainError } from "@assay/domain";
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from "@clickhouse/client";
import { type ReadWatch, unwatched } from "./fail-when-hung.ts";

/** A statement and the values bound to its parameters. */
export interface BoundQuery {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The part of a ClickHouse client that the event store needs. */
export interface EngineClient {
  command(
    sql: string,
    params?: Readonly<Record<string, unknown>>,
    settings?: ClickHouseSettings,
  ): Promise<void>;
  /** Runs a query with bound parameters; each row is an array in the order of the columns. */
  rows<Row extends readonly unknown[]>(
    sql: string,
    params: Record<string, unknown>,
    settings?: ClickHouseSettings,
  ): Promise<Row[]>;
  /** Runs a query with bound parameters, and returns its rows in ClickHouse's format RowBinary (`RowBinaryReader`). */
  rowBinary(
    sql: string,
    params: Readonly<Record<string, unknown>>,
    settings?: ClickHouseSettings,
  ): Promise<Buffer>;
  /** Does the same in the format Native (`readNative`). */
  native(
    sql: string,
    params: Readonly<Record<string, unknown>>,
    settings?: ClickHouseSettings,
  ): Promise<Buffer>;
  /** Inserts lines of JSON arrays, sent chunk by chunk as the source yields them. */
  insert(
    table: string,
    columns: readonly string[],
    lines: Iterable<string> | AsyncIterable<string>,
    settings?: ClickHouseSettings,
  ): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const NO_ANSWER = { detail: "The event store does not answer.", retryAfterSeconds: 5 };
const DAMAGED = {
  detail: "The stored events are damaged. Stop the service and restore them from a backup.",
  retryAfterSeconds: 300,
};

/** ClickHouse's error codes that mean "not now" rather than "wrong query". */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  // The server refuses everything in its current setup. Accepted events wait until that is fixed.
  "16", // NO_SUCH_COLUMN_IN_TABLE: the tables are older than this process
  "60", // UNKNOWN_TABLE
  "81", // UNKNOWN_DATABASE
  "164", // READONLY
  "192", // UNKNOWN_USER
  "193", // WRONG_PASSWORD
  "194", // REQUIRED_PASSWORD
  "195", // IP_ADDRESS_NOT_ALLOWED
  "201", // QUOTA_EXCEEDED
  "497", // ACCESS_DENIED
  "516", // AUTHENTICATION_FAILED
  "32", // ATTEMPT_TO_READ_AFTER_EOF: a shard died while it answered
  "75", // CANNOT_WRITE_TO_FILE_DESCRIPTOR: the disk is full
  "159", // TIMEOUT_EXCEEDED
  "173", // CANNOT_ALLOCATE_MEMORY
  "198", // DNS_ERROR: the name of a dead shard no longer resolves
  "202", // TOO_MANY_SIMULTANEOUS_QUERIES
  "203", // NO_FREE_CONNECTION
  "204", // CANNOT_FSYNC
  "209", // SOCKET_TIMEOUT
  "210", // NETWORK_ERROR
  "225", // NO_ZOOKEEPER
  "236", // ABORTED
  "241", // MEMORY_LIMIT_EXCEEDED
  "242", // TABLE_IS_READ_ONLY
  "243", // NOT_ENOUGH_SPACE
  "252", // TOO_MANY_PARTS
  "254", // NO_ACTIVE_REPLICAS
  "279", // ALL_CONNECTION_TRIES_FAILED
  "285", // TOO_FEW_LIVE_REPLICAS
  "286", // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  "294", // CANNOT_WRITE_TO_FILE
  "319", // UNKNOWN_STATUS_OF_INSERT
  "369", // ALL_REPLICAS_ARE_STALE
  "394", // QUERY_WAS_CANCELLED
  "439", // CANNOT_SCHEDULE_TASK
  "745", // SERVER_OVERLOADED
  "999", // KEEPER_EXCEPTION
  "1000", // POCO_EXCEPTION: a connection between nodes
]);

/** ClickHouse's error codes for files that differ from what the engine wrote. */
const DAMAGED_CODES: ReadonlySet<string> = new Set([
  "33", // CANNOT_READ_ALL_DATA
  "40", // CHECKSUM_DOESNT_MATCH
  "74", // CANNOT_READ_FROM_FILE_DESCRIPTOR: the disk fails
  "89", // UNKNOWN_COMPRESSION_METHOD
  "107", // FILE_DOESNT_EXIST
  "226", // NO_FILE_IN_DATA_PART
  "246", // CORRUPTED_DATA
  "271", // CANNOT_DECOMPRESS
  "432", // UNKNOWN_CODEC
]);

const INSERT_SETTINGS: ClickHouseSettings = {
  // A redelivered block must be stored again: its first delivery may not have reached the analysis log.
  insert_deduplicate: 0,
  // All rows of one insert are different. Merging the analysis log's rows before writing them would take a quarter of an insert.
  optimize_on_insert: 0,
  // Batches are already large, and an acknowledgement must mean that the rows are stored.
  async_insert: 0,
};

/** Ten times the longest insert on a busy server. A hung server blocks a batch no longer than this. */
const INSERT_TIMEOUT_MS = 60_000;

interface EngineClientOptions {
  readonly insertTimeoutMs?: number;
  /** By default reads are not watched. */
  readonly watch?: ReadWatch;
}

/** Wraps a client. Throws `storage-unavailable` if the engine is down, overloaded or hung, or its files are damaged. */
export function engineClient(
  client: ClickHouseClient,
  { insertTimeoutMs = INSERT_TIMEOUT_MS, watch = unwatched }: EngineClientOptions = {},
): EngineClient {
  return {
    command: (query, query_params, clickhouse_settings) =>
      guarded(async () => void (await client.command({ query, query_params, clickhouse_settings }))),
    rows: (query, query_params, clickhouse_settings) =>
      reading(watch, async (abort_signal) => {
        const result = await client.query({
          ...asked(query, query_params),
          abort_signal,
          format: "JSONCompactEachRow",
          clickhouse_settings: { output_format_json_quote_64bit_integers: 0, ...clickhouse_settings },
        });
        return await result.json();
      }),
    rowBinary: (...query) => bytesOf({ client, watch }, ROW_BINARY, query),
    native: (...query) => bytesOf({ client, watch }, NATIVE, query),
    insert: (table, columns, lines, settings) =>
      guarded(async () => {
        // `exec` sends the lines unchanged; `insert` would serialize row by row.
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONCompactEachRow`,
          values: Readable.from(lines, { objectMode: false }),
          clickhouse_settings: { ...INSERT_SETTINGS, ...settings },
          abort_signal: AbortSignal.timeout(insertTimeoutMs),
        });
        await finished(stream.resume());
      }),
    ping: () =>
      guarded(async () => {
        const answer = await client.ping({ select: true });
        if (!answer.success) throw answer.error;
      }),
    close: () => client.close(),
  };
}

/** The client would encode a longer text twice: for the URL, and again for the body. */
const MAX_CHARACTERS_IN_URL = 4_096;

function asked(query: string, query_params: Readonly<Record<string, unknown>> = {}) {
  const isLong = (value: unknown) => typeof value === "string" && value.length > MAX_CHARACTERS_IN_URL;
  const isLarge = Object.values(query_params).some(isLong);
  return { query, query_params, ...(isLarge && { use_multipart_params: true }) };
}

function bytesOf(
  { client, watch }: { readonly client: ClickHouseClient; readonly watch: ReadWatch },
  format: typeof ROW_BINARY,
  [query, query_params, clickhouse_settings]: Parameters<EngineClient["native"]>,
): Promise<Buffer> {
  return reading(watch, async (abort_signal) => {
    const result = await client.query({
      ...asked(query, query_params),
      abort_signal,
      format,
      // Otherwise a failure in the middle would arrive as part of the rows.
      clickhouse_settings: { wait_end_of_query: 1, ...clickhouse_settings },
    });
    return Buffer.concat(await streamOf(result).toArray());
  });
}

function reading<T>(watch: ReadWatch, read: (signal?: AbortSignal) => Promise<T>): Promise<T> {
  return guarded(() => watch((signal) => retryIfCutOff(() => read(signal))));
}

/** The client sends any format, but its types list only those that are text. */
const ROW_BINARY = "RowBinary" as "CSV";
const NATIVE = "Native" as "CSV";

/** The client's own readers decode text. `exec` has a plain stream, but no room for lists of ids. */
function streamOf(result: object): Readable {
  return (result as { readonly _stream: Readable })._stream;
}

/** Retries a read once when the connection breaks, because a restarted server leaves dead connections in the pool. */
async function retryIfCutOff<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isCutOff(error)) throw error;
    return await read();
  }
}

function isCutOff(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === "ECONNRESET" || code === "EPIPE";
}

async function guarded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isDamage = hasCode(error, DAMAGED_CODES);
    if (!isDamage && !isUnavailable(error)) throw error;
    const { detail, retryAfterSeconds } = isDamage ? DAMAGED : NO_ANSWER;
    throw new DomainError("storage-unavailable", detail, { retryAfterSeconds, cause: error });
  }
}

const hasCode = (error: unknown, codes: ReadonlySet<string>) =>
  error instanceof ClickHouseError && codes.has(error.code);

function isUnavailable(error: unknown): boolean {
  if (error instanceof ClickHouseError) return UNAVAILABLE_CODES.has(error.code);
  // Socket errors (several for a name with several addresses), timeouts and answers of other programs are plain errors;
  // our own bugs have a class.
  return error instanceof AggregateError || (error instanceof Error && error.constructor === Error);
}
