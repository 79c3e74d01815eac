import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** State shared by all processes on a database: secrets, reports about the judge, and the versions that may run on it. */
export const severalProcesses: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("installation_secrets")
      .addColumn("name", "text", (col) => col.primaryKey())
      .addColumn("sealed", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .execute();
    await db.schema
      .createTable("judge_reports")
      .addColumn("process_id", "text", (col) => col.primaryKey())
      .addColumn("fault", "text")
      .addColumn("fault_since", "bigint")
      .addColumn("per_minute", "double precision", (col) => col.notNull())
      .addColumn("reported_at", "bigint", (col) => col.notNull())
      .execute();
    await db.schema
      .createTable("schema_compatibility")
      .addColumn("id", "integer", (col) => col.primaryKey())
      .addColumn("readable_from", "text", (col) => col.notNull())
      .execute();
    await sql`insert into schema_compatibility (id, readable_from) values (1, '0011-several-processes')`.execute(
      db,
    );
  },
};
