import { type Kysely, PostgresAdapter, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

/**
 * Makes transactions that lock the table wait for one another until they end; reading it goes on. For rules over rows that are not
 * there yet, on tables that are seldom written. SQLite's transactions wait for one another anyway.
 */
export async function lockTable(db: Kysely<Database>, table: keyof Database): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(db);
}
