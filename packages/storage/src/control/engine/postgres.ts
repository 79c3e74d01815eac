import { type ControlPlane, StartupError } from "@assay/domain";
import { CamelCasePlugin, Kysely } from "kysely";
import pg from "pg";
import { refuseUnfinishedMove } from "../../move/move-mark.ts";
import { createControlPlane } from "../control-plane.ts";
import { postgresDialect } from "../dialect/postgres-dialect.ts";
import { upgradeSchema } from "../schema/migrator.ts";
import type { Database } from "../schema/schema.ts";
import { electOnPostgres, withPostgresLock } from "./postgres-advisory-lock.ts";
import { watchPostgres } from "./postgres-watch.ts";

export { compareClocks } from "./postgres-clock.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_MAX_CONNECTIONS = 10;
/** No statement of the stores takes a second. A longer one is waiting for a lock, or the server has a problem. */
const STATEMENT_TIMEOUT_MS = 15_000;
const GRACE_MS = 2_000;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the driver's usual query options. */
  readonly url: string;
  /** Creates the ids of orgs and users. */
  readonly newId: () => string;
  /** Maximum number of connections of this process; 10 by default. */
  readonly maxConnections?: number;
}

/**
 * Opens the control plane in a PostgreSQL database. It connects on first use and throws `storage-unavailable` when the
 * server cannot be reached; a malformed URL throws a `StartupError` at once. The sessions that watch changes and hold
 * advisory locks are outside the pool, and do not work through a PgBouncer in transaction mode.
 */
export function openPostgresControlPlane({ url, newId, maxConnections }: PostgresOptions): ControlPlane {
  checkUrl(url);
  const max = maxConnections ?? DEFAULT_MAX_CONNECTIONS;
  const pool = createPool(url, max, STATEMENT_TIMEOUT_MS);
  const db = openDatabase(pool, STATEMENT_TIMEOUT_MS);
  return createControlPlane(db, {
    newId,
    isShared: true,
    coordination: {
      watchChanges: (listener) => watchPostgres(url, db, listener),
      electLeader: (work) => electOnPostgres(url, work),
      withLock: (name, work) => withPostgresLock(url, name, work),
    },
    connections: () => ({
      inUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      max,
    }),
    // A migration may take long, and so may waiting for a migration of another process.
    async migrate() {
      const unbounded = openDatabase(createPool(url, 1, 0), 0);
      try {
        await upgradeSchema(unbounded);
        await refuseUnfinishedMove(unbounded);
      } finally {
        await unbounded.destroy();
      }
    },
  });
}

function checkUrl(url: string): void {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw new StartupError(
    "ASSAY_DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database.",
  );
}

function openDatabase(pool: pg.Pool, statementTimeoutMs: number): Kysely<Database> {
  const dialect = postgresDialect(pool, [
    // A process that lost its network must not keep an experiment locked until TCP gives up (hours).
    "set idle_in_transaction_session_timeout = '60s'",
    `set statement_timeout = ${statementTimeoutMs}`,
  ]);
  return new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] });
}

function createPool(url: string, max: number, statementTimeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A vanished server never ends its statements, so this side gives up.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + GRACE_MS } : {}),
    keepAlive: true,
    types: { getTypeParser },
  });
  // A lost connection fails the query that uses it and is replaced. Its error event needs no action, but without a
  // listener it would end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

const ignore = (): void => {};

/** Parses int8 as a number, because those columns contain timestamps and counts. The driver parses all other types. */
function getTypeParser(type: number, format?: "text" | "binary"): (value: string) => unknown {
  if (type === pg.types.builtins.INT8) return Number;
  return format === "binary" ? pg.types.getTypeParser(type, format) : pg.types.getTypeParser(type);
}
