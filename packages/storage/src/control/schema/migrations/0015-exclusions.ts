import type { Migration } from "kysely/migration";

/** Exclusions of an experiment's events. Each numbered entry is an exclusion or lifts one. */
export const exclusions: Migration = {
  async up(db) {
    await db.schema
      .createTable("exclusions")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("number", "integer", (col) => col.notNull())
      .addColumn("reason", "text", (col) => col.notNull())
      .addColumn("match", "text")
      .addColumn("lifts", "integer")
      .addColumn("actor_id", "text", (col) => col.notNull())
      .addColumn("actor_name", "text", (col) => col.notNull())
      .addColumn("actor_email", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("exclusions_pkey", ["org_id", "experiment_id", "number"])
      .addUniqueConstraint("exclusions_lifts", ["org_id", "experiment_id", "lifts"])
      .addForeignKeyConstraint("exclusions_experiment", ["org_id", "experiment_id"], "experiments", [
        "org_id",
        "id",
      ])
      .execute();
  },
};
