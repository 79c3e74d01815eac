import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from "@clickhouse/client";

/** Address and credentials of a server. */
export interface ClickHouseAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Must exist. By default the URL's database, or else `default`. */
  readonly database?: string;
}

const REQUEST_TIMEOUT_MS = 300_000;

/**
 * Turns off compilation. ClickHouse would compile an expression when it sees it the third time, which takes a third of the CPU time
 * of a small analysis and does not make an analysis of a million events faster.
 */
export const SESSION_SETTINGS: ClickHouseSettings = {
  compile_expressions: 0,
  compile_aggregate_expressions: 0,
  compile_sort_description: 0,
};

/**
 * Creates a client for a server, a cluster's node or the embedded engine. All have the same protocol.
 */
export function connectClickHouse({
  url,
  username,
  password,
  database,
}: ClickHouseAddress): ClickHouseClient {
  return createClient({
    url,
    username,
    password,
    ...(database !== undefined && { database }),
    application: "assay",
    request_timeout: REQUEST_TIMEOUT_MS,
    clickhouse_settings: SESSION_SETTINGS,
    log: { level: ClickHouseLogLevel.OFF },
    // Lists of ids do not fit in a URL.
    use_multipart_params_auto: true,
  });
}
