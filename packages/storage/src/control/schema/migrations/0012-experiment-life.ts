import type { Migration } from "kysely/migration";

/** Former names of experiments, and deleted experiments whose events may still be stored. */
export const experimentLife: Migration = {
  async up(db) {
    await db.schema
      .createTable("former_names")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("renamed_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("former_names_pkey", ["org_id", "name"])
      // Cascades, because the previous version removes the demo without knowing this table.
      .addForeignKeyConstraint(
        "former_names_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createTable("experiment_removals")
      .addColumn("experiment_id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("removed_at", "bigint", (col) => col.notNull())
      .execute();
  },
};
