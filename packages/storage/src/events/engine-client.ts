import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { DomainError } from "@assay/domain";
import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from "@clickhouse/client";

/** What the event store needs of a ClickHouse server. */
export interface EngineClient {
  command(sql: string, params?: Record<string, unknown>, settings?: ClickHouseSettings): Promise<void>;
  /** Runs a query with bound parameters; rows come as arrays in the order of the columns. */
  rows<Row extends readonly unknown[]>(
    sql: string,
    params: Record<string, unknown>,
    settings?: ClickHouseSettings,
  ): Promise<Row[]>;
  /** Inserts lines of JSON arrays, sent chunk by chunk as the source yields them. */
  insert(
    table: string,
    columns: readonly string[],
    lines: Iterable<string> | AsyncIterable<string>,
  ): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const RETRY_AFTER_SECONDS = 5;

/** Refusals that say "not now" rather than "wrong query", by ClickHouse's error code. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "75", // CANNOT_WRITE_TO_FILE_DESCRIPTOR: the disk is full
  "159", // TIMEOUT_EXCEEDED
  "173", // CANNOT_ALLOCATE_MEMORY
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
  "279", // ALL_CONNECTION_TRIES_FAILED
  "285", // TOO_FEW_LIVE_REPLICAS
  "286", // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  "294", // CANNOT_WRITE_TO_FILE
  "319", // UNKNOWN_STATUS_OF_INSERT
  "394", // QUERY_WAS_CANCELLED
  "439", // CANNOT_SCHEDULE_TASK
  "745", // SERVER_OVERLOADED
  "999", // KEEPER_EXCEPTION
]);

const INSERT_SETTINGS: ClickHouseSettings = {
  // A redelivered block must be stored again: its first delivery may have died before the analysis log.
  insert_deduplicate: 0,
};

/** Wraps a client: engine down or overloaded becomes `storage-unavailable`, a refused query stays its own error. */
export function engineClient(client: ClickHouseClient): EngineClient {
  return {
    command: (query, query_params, clickhouse_settings) =>
      guarded(async () => void (await client.command({ query, query_params, clickhouse_settings }))),
    rows: (query, query_params, clickhouse_settings) =>
      guarded(async () => {
        const result = await client.query({
          query,
          query_params,
          format: "JSONCompactEachRow",
          clickhouse_settings: { output_format_json_quote_64bit_integers: 0, ...clickhouse_settings },
        });
        return await result.json();
      }),
    insert: (table, columns, lines) =>
      guarded(async () => {
        // `exec` sends the lines as they are; `insert` would serialise row by row.
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONCompactEachRow`,
          values: Readable.from(lines, { objectMode: false }),
          clickhouse_settings: INSERT_SETTINGS,
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

async function guarded<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new DomainError("storage-unavailable", "The event store does not answer.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ClickHouseError) return UNAVAILABLE_CODES.has(error.code);
  // Sockets (several, for a name with several addresses), timeouts and answers that are not ClickHouse's reach us
  // as plain errors; our own bugs have a class.
  return error instanceof AggregateError || (error instanceof Error && error.constructor === Error);
}
