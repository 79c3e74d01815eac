import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@assay/domain";
import { Kysely } from "kysely";
import pg from "pg";
import type { EngineReport } from "../../engine-report.ts";
import { postgresDialect } from "../dialect/postgres-dialect.ts";
import { createMigrator } from "../schema/migrator.ts";
import type { Database } from "../schema/schema.ts";
import { clockAdvice } from "./postgres-clock.ts";

/** A process's pool, its sessions for change notifications and leader election, and one for a lock. */
const CONNECTIONS_PER_PROCESS = 13;
const OLDEST_VERSION = 13;
const TIMEOUT_MS = 5_000;
const NOTIFIED_WITHIN_MS = 2_000;

/** Probes PostgreSQL as the control plane will use it, without changing anything. Throws a `StartupError`. */
export async function probePostgres(url: string): Promise<EngineReport> {
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const pool = new pg.Pool({ connectionString: url, max: 2, ...limits });
  pool.on("error", () => undefined);
  const db = new Kysely<Database>({ dialect: postgresDialect(pool) });
  try {
    const server = await readServer(pool);
    requireUsable(server);
    await requireNotifications(pool);
    const schema = await schemaInWords(db);
    const { version, connections, maxConnections } = server;
    const clock = await clockAdvice(pool);
    return {
      found: `PostgreSQL ${version}, ${schema}, ${connections} of ${maxConnections} connections in use`,
      advice: [...adviceOn(server), ...(clock === null ? [] : [clock])],
    };
  } catch (error) {
    throw error instanceof StartupError ? error : explain(error);
  } finally {
    await db.destroy();
  }
}

interface Server {
  readonly version: string;
  readonly major: number;
  /** The schema in which tables are created; null when there is none. */
  readonly schema: string | null;
  readonly mayCreate: boolean;
  readonly isReadOnly: boolean;
  readonly connections: number;
  readonly maxConnections: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

async function readServer(pool: pg.Pool): Promise<Server> {
  const { rows } = await pool.query<Server>(`select
    split_part(current_setting('server_version'), ' ', 1) as version,
    current_setting('server_version_num')::int / 10000 as major,
    current_schema() as schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "mayCreate",
    pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
    current_setting('max_connections')::int as "maxConnections",
    current_setting('fsync') as fsync,
    current_setting('synchronous_commit') as "synchronousCommit"`);
  const [row] = rows;
  if (row === undefined)
    throw new StartupError("PostgreSQL at ASSAY_DATABASE_URL does not report its settings.");
  return row;
}

function requireUsable({ version, major, schema, mayCreate, isReadOnly }: Server): void {
  if (major < OLDEST_VERSION)
    throw new StartupError(
      `PostgreSQL ${version} at ASSAY_DATABASE_URL is too old: use ${OLDEST_VERSION} or newer.`,
    );
  if (isReadOnly)
    throw new StartupError(
      "PostgreSQL at ASSAY_DATABASE_URL is read-only, most likely a standby: name the primary.",
    );
  if (schema === null || !mayCreate)
    throw new StartupError(
      `The user in ASSAY_DATABASE_URL may not create tables in ${schema === null ? "any schema of its search_path" : `the schema ${schema}`}: grant CREATE and USAGE on one.`,
    );
}

/**
 * A pooler may give the session to another client between transactions, which loses notifications and advisory locks.
 */
async function requireNotifications(pool: pg.Pool): Promise<void> {
  const channel = `assay_doctor_${randomBytes(6).toString("hex")}`;
  const listener = await pool.connect();
  try {
    const heard = new Promise<boolean>((resolve) => listener.once("notification", () => resolve(true)));
    await listener.query(`listen ${channel}`);
    await pool.query(`notify ${channel}`);
    if (await Promise.race([heard, sleep(NOTIFIED_WITHIN_MS, false)])) return;
    throw new StartupError(
      "ASSAY_DATABASE_URL leads through a pooler in transaction mode, which loses change notifications: name PostgreSQL itself, or a pooler in session mode.",
    );
  } finally {
    listener.release(true);
  }
}

async function schemaInWords(db: Kysely<Database>): Promise<string> {
  const migrations = await (await createMigrator(db)).getMigrations();
  const left = migrations.filter(({ executedAt }) => executedAt === undefined);
  if (left.length === 0) return "schema up to date";
  return left.length === migrations.length
    ? "no schema yet: the first start creates it"
    : `${left.length} migrations pending: the next start runs them`;
}

function adviceOn({ maxConnections, fsync, synchronousCommit }: Server): readonly string[] {
  const processes = Math.floor(maxConnections / CONNECTIONS_PER_PROCESS);
  return [
    ...(processes < 2
      ? [
          `max_connections = ${maxConnections} is too few for two processes: each uses up to ${CONNECTIONS_PER_PROCESS}.`,
        ]
      : []),
    ...(fsync === "off" ? ["fsync is off: a power cut may destroy the database. Turn it on."] : []),
    ...(synchronousCommit === "off"
      ? ["synchronous_commit is off: a power cut loses the last changes. Turn it on."]
      : []),
  ];
}

const UNREACHABLE = "PostgreSQL at ASSAY_DATABASE_URL does not answer";

function explain(error: unknown): StartupError {
  const { code = "", message } = error as { readonly code?: string; readonly message: string };
  const known: readonly (readonly [RegExp, string])[] = [
    [/^28/, "PostgreSQL at ASSAY_DATABASE_URL refuses the user or the password: check both."],
    [/^3D000/, "The database in ASSAY_DATABASE_URL does not exist: create it."],
    [/^53300/, "PostgreSQL at ASSAY_DATABASE_URL has no connection left: raise max_connections."],
    [/^57P03/, "PostgreSQL at ASSAY_DATABASE_URL is starting or stopping: try again in a moment."],
    [/^E[A-Z]/, `${UNREACHABLE} (${code}): check the address and that the server runs.`],
  ];
  const text = known.find(([pattern]) => pattern.test(code))?.[1];
  const isSilent = /timeout|terminated/i.test(message);
  return new StartupError(
    text ??
      (isSilent
        ? `${UNREACHABLE} in time: check the address, the network and the server.`
        : `PostgreSQL at ASSAY_DATABASE_URL fails (${code || "no code"}): see its log.`),
    { cause: error },
  );
}
