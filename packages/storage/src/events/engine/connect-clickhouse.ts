import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

/** Address and credentials of a server. */
export interface ClickHouseAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Must exist. Without it, the URL's database or `default`. */
  readonly database?: string;
}

const REQUEST_TIMEOUT_MS = 300_000;

/** Creates the client of a server, of a cluster's node, or of the embedded engine, which speaks the same protocol. */
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
    // Lists of ids do not fit into a URL.
    use_multipart_params_auto: true,
  });
}
