import type { Change } from "@assay/domain";
import { CompiledQuery, PostgresAdapter, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { ControlAdapter, ControlDialect } from "./dialect.ts";

const CONTROL: ControlDialect = {
  name: "postgres",

  // By default, order depends on the database's locale.
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

/** Parses the payload of `notifyChange`; null for a payload that only a newer version knows. */
export function parseChange(payload: string): Change | null {
  const [kind, orgId] = payload.split(" ");
  const known = KINDS.find((one) => one === kind);
  return known === undefined || orgId === undefined ? null : { kind: known, orgId };
}

const KINDS: readonly Change["kind"][] = ["config", "keys", "plan", "judging", "rehearsing"];

class ControlPostgresAdapter extends PostgresAdapter implements ControlAdapter {
  readonly control = CONTROL;
}

class ControlPostgresDialect extends PostgresDialect {
  override createAdapter(): ControlAdapter {
    return new ControlPostgresAdapter();
  }
}

/** Creates the Kysely dialect of a pool; each new connection runs `settings` first. */
export const postgresDialect = (pool: pg.Pool, settings: readonly string[] = []): PostgresDialect =>
  new ControlPostgresDialect({
    pool,
    async onCreateConnection(connection) {
      for (const statement of settings) await connection.executeQuery(CompiledQuery.raw(statement));
    },
  });
