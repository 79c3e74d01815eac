import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

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
 * Creates a client of a server, a cluster's node, or the embedded engine, which all have the same protocol.
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
    log: { level: ClickHouseLogLevel.OFF },
    // Lists of ids do not fit in a URL.
    use_multipart_params_auto: true,
  });
}
