import type { Migration } from "kysely/migration";

const RUN_KEY: ("experiment_id" | "label" | "window_to")[] = ["experiment_id", "label", "window_to"];

/**
 * What lists show of a run. It has its own table because SQLite reads all of a row's large body to reach a column behind it.
 * Older runs have no summary until a list reads them.
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
