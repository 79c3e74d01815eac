import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Which experiments test arms of which rehearsal, with the rehearsal's results when each was started. */
export const rehearsalExperiments: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("rehearsal_experiments")
      .addColumn("experiment_id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("rehearsal_id", "text", (col) =>
        col.notNull().references("rehearsals.id").onDelete("cascade"),
      )
      .addColumn("rows", "text", (col) => col.notNull())
      .addColumn("started_at", "bigint", (col) => col.notNull())
      .addColumn("started_by", "text", (col) => col.notNull())
      .addColumn("started_by_name", "text", (col) => col.notNull())
      // Cascades, because the previous version deletes experiments without knowing this table.
      .addForeignKeyConstraint(
        "rehearsal_experiments_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("rehearsal_experiments_newest")
      .on("rehearsal_experiments")
      .columns(["org_id", "started_at", "experiment_id"])
      .execute();
  },
};
