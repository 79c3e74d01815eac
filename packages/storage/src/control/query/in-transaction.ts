import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/**
 * Runs `work` in the transaction `db`, or in a new one when `db` is a database. PostgreSQL always runs it as read committed: the
 * stores lock a row first, and must then see everything that was committed before.
 */
export function inTransaction<T>(
  db: Kysely<Database>,
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return work(db);
  return db.transaction().setIsolationLevel("read committed").execute(work);
}
