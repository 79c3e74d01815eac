import type { Migration } from "kysely/migration";

/** The newest A/A replay of each experiment. */
export const replays: Migration = {
  async up(db) {
    await db.schema
      .createTable("replays")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("replays_pkey", ["org_id", "experiment_id"])
      .addForeignKeyConstraint("replays_experiment", ["org_id", "experiment_id"], "experiments", [
        "org_id",
        "id",
      ])
      .execute();
  },
};
