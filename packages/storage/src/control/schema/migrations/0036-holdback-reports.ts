import type { Migration } from "kysely/migration";

/** The results of each experiment's holdback so far. */
export const holdbackReports: Migration = {
  async up(db) {
    await db.schema
      .createTable("holdback_reports")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("holdback_reports_pkey", ["org_id", "experiment_id"])
      .addForeignKeyConstraint("holdback_reports_experiment", ["org_id", "experiment_id"], "experiments", [
        "org_id",
        "id",
      ])
      .execute();
  },
};
