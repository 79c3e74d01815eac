import { StartupError } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import type { Database } from "../control/schema/schema.ts";

/** Records where a database's content comes from. It has one row, and only a move creates it. */
const TABLE = "assay_move";

/** Source and progress of a move. */
export interface MoveMark {
  /** Fingerprint of the installation being copied. */
  readonly source: string;
  readonly isFinished: boolean;
}

/** Reads the mark; null when nothing has ever been moved to this database. */
export async function findMoveMark(database: Kysely<Database>): Promise<MoveMark | null> {
  const db = database.withoutPlugins();
  const { rows: tables } = await sql`select 1 from information_schema.tables
    where table_schema = current_schema() and table_name = ${TABLE}`.execute(db);
  if (tables.length === 0) return null;
  const { rows } = await sql<{ source: string; is_finished: boolean }>`
    select source, finished_at is not null as is_finished from ${sql.table(TABLE)}`.execute(db);
  return rows[0] === undefined ? null : { source: rows[0].source, isFinished: rows[0].is_finished };
}

/** Marks the database as the target of a move unless it already is one; returns its mark. */
export async function markMove(database: Kysely<Database>, source: string): Promise<MoveMark> {
  const db = database.withoutPlugins();
  await sql`create table if not exists ${sql.table(TABLE)} (
    id integer primary key, source text not null, started_at timestamptz not null, finished_at timestamptz)`.execute(
    db,
  );
  await sql`insert into ${sql.table(TABLE)} values (1, ${source}, now(), null) on conflict do nothing`.execute(
    db,
  );
  return (await findMoveMark(db)) ?? { source, isFinished: false };
}

/** Marks the move as finished, within the caller's transaction. */
export async function finishMove(database: Kysely<Database>): Promise<void> {
  await sql`update ${sql.table(TABLE)} set finished_at = now()`.execute(database.withoutPlugins());
}

/** Throws a `StartupError` when a move to this database has begun but not finished. */
export async function refuseUnfinishedMove(db: Kysely<Database>): Promise<void> {
  if ((await findMoveMark(db))?.isFinished !== false) return;
  throw new StartupError(
    "A data folder is only partly copied to the database at ASSAY_DATABASE_URL: run assay migrate --from DIR again until it finishes, or name an empty database.",
  );
}
