import type { ControlPlane } from "@assay/domain";
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { createControlPlane } from "./control-plane.ts";
import { ControlPlaneOpenError } from "./control-plane-open-error.ts";
import type { Database } from "./schema.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_CONNECTIONS = 10;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the driver's usual query options. */
  readonly url: string;
  /** Makes the ids of orgs and users. */
  readonly newId: () => string;
  /** Connections of this process, at most; 10 when not given. */
  readonly maxConnections?: number;
}

/**
 * Makes the control plane of a PostgreSQL database. It connects on first use: an unreachable server shows as
 * `storage-unavailable` there, a malformed URL as `ControlPlaneOpenError` here.
 */
export function openPostgresControlPlane({ url, newId, maxConnections }: PostgresOptions): ControlPlane {
  const dialect = new PostgresDialect({
    pool: createPool(url, maxConnections ?? DEFAULT_MAX_CONNECTIONS),
    // A process that vanished with its network must not keep an experiment locked until TCP gives up (hours).
    onCreateConnection: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw("set idle_in_transaction_session_timeout = '60s'"));
    },
  });
  return createControlPlane(new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] }), {
    newId,
    isShared: true,
  });
}

function createPool(url: string, max: number): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ControlPlaneOpenError(
      "ASSAY_DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database.",
    );
  }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // A lost connection fails the query that uses it and is replaced. Its event, idle or in use, is only news, but
  // without a listener it would end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

const ignore = (): void => {};

/** Reads int8 as a number, since the columns hold instants and counts; everything else as the driver does. */
function getTypeParser(type: number, format?: "text" | "binary"): (value: string) => unknown {
  if (type === pg.types.builtins.INT8) return Number;
  return format === "binary" ? pg.types.getTypeParser(type, format) : pg.types.getTypeParser(type);
}
