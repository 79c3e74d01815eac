import type { Change } from "@assay/domain";
import {
  CompiledQuery,
  type Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  sql,
  type TableMetadata,
} from "kysely";
import type pg from "pg";
import type { ControlAdapter, ControlDialect } from "./dialect.ts";

const CONTROL: ControlDialect = {
  name: "postgres",

  // The database's locale would otherwise decide the order.
  codePointText: sql`text collate "C"`,

  async findSchema(db) {
    const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
    return rows[0]?.name ?? undefined;
  },

  async lockTable(db, table) {
    await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(db);
  },

  lockRows: (query) => query.forUpdate(),

  skipLocked: (query) => query.forUpdate().skipLocked(),

  async notifyChange(db, { kind, orgId }) {
    await sql`select pg_notify(${sql.raw(CHANGE_CHANNEL)}, ${`${kind} ${orgId}`})`.execute(db);
  },
};

/**
 * Returns SQL for the channel's name. Each schema has its own, because other installations may use other schemas of the
 * database.
 */
export const CHANGE_CHANNEL = "'assay_' || md5(current_schema())";

/** Parses the payload of `notifyChange`; null for a payload of a newer version. */
export function parseChange(payload: string): Change | null {
  const [kind, orgId] = payload.split(" ");
  const known = KINDS.find((one) => one === kind);
  return known === undefined || orgId === undefined ? null : { kind: known, orgId };
}

const KINDS: readonly Change["kind"][] = ["config", "keys", "plan", "judging", "rehearsing"];

class ControlPostgresAdapter extends PostgresAdapter implements ControlAdapter {
  readonly control = CONTROL;
}

/**
 * Lists the tables of the current schema by name, which is all that the migrator needs. Kysely's own introspector also looks
 * up the sequence of each column in the whole database, which fails when another session drops a table meanwhile.
 */
class OwnSchemaIntrospector extends PostgresIntrospector {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#db = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ name: string; schema: string }>`
      select tablename as name, schemaname as schema from pg_catalog.pg_tables where schemaname = current_schema()
    `.execute(this.#db);
    return rows.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }));
  }
}

class ControlPostgresDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): PostgresIntrospector {
    return new OwnSchemaIntrospector(db);
  }

  override createAdapter(): ControlAdapter {
    return new ControlPostgresAdapter();
  }
}

/** Creates the Kysely dialect of a pool. Each new connection first runs `settings`. */
export const postgresDialect = (pool: pg.Pool, settings: readonly string[] = []): PostgresDialect =>
  new ControlPostgresDialect({
    pool,
    async onCreateConnection(connection) {
      for (const statement of settings) await connection.executeQuery(CompiledQuery.raw(statement));
    },
  });
