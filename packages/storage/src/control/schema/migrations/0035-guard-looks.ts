import type { Migration } from "kysely/migration";

/** The latest look of each experiment's guard. */
export const guardLooks: Migration = {
  async up(db) {
    await db.schema
      .createTable("guard_looks")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("guard_looks_pkey", ["org_id", "experiment_id"])
      .addForeignKeyConstraint("guard_looks_experiment", ["org_id", "experiment_id"], "experiments", [
        "org_id",
        "id",
      ])
      .execute();
  },
};
