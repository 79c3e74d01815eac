import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

/** Where the server is, and how to enter. */
export interface ClickHouseAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Must exist; the URL's, or `default`, when not given. */
  readonly database?: string;
}

const REQUEST_TIMEOUT_MS = 300_000;

/** Makes the client of a server, of a node of a cluster, or of the embedded engine behind the same protocol. */
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
    // Lists of ids are longer than any URL.
    use_multipart_params_auto: true,
  });
}
