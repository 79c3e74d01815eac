import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

const RUN_KEY: ("experiment_id" | "label" | "window_to")[] = ["experiment_id", "label", "window_to"];

/**
 * Nights that were run again. They have a separate table, because processes of the previous version still write `results`.
 * The body is the last column, because SQLite must read all of it to reach a later column.
 */
export const runRevisions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("run_revisions")
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("label", "text", (col) => col.notNull())
      .addColumn("window_to", "bigint", (col) => col.notNull())
      .addColumn("revision", "integer", (col) => col.notNull())
      .addColumn("computed_at", "bigint", (col) => col.notNull())
      .addColumn("has_rows", "integer", (col) => col.notNull())
      .addColumn("summary", "text", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("run_revisions_pkey", [...RUN_KEY, "revision"])
      .addForeignKeyConstraint("run_revisions_run", RUN_KEY, "results", RUN_KEY, (key) =>
        key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("results_window")
      .on("results")
      .columns(["org_id", "experiment_id", "window_to", "preliminary", "label"])
      .execute();
    await db.schema.alterTable("run_summaries").addColumn("has_rows", "integer").execute();
    // Inside a JSON string the quotes would be escaped, so this matches only an empty list of rows.
    await sql`update run_summaries set has_rows = case when summary like '%"rows":[]%' then 0 else 1 end`.execute(
      db,
    );
  },
};
