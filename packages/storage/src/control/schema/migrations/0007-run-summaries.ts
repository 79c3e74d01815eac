import type { Migration } from "kysely/migration";

const RUN_KEY: ("experiment_id" | "label" | "window_to")[] = ["experiment_id", "label", "window_to"];

/**
 * The part of a run that lists show. It has a separate table because SQLite must read a row's whole body to reach a column after it.
 * Older runs get a summary when a list first reads them.
 */
export const runSummaries: Migration = {
  async up(db) {
    await db.schema
      .createTable("run_summaries")
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("label", "text", (col) => col.notNull())
      .addColumn("window_to", "bigint", (col) => col.notNull())
      .addColumn("summary", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("run_summaries_pkey", RUN_KEY)
      .addForeignKeyConstraint("run_summaries_run", RUN_KEY, "results", RUN_KEY, (key) =>
        key.onDelete("cascade"),
      )
      .execute();
  },
};
