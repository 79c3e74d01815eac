import type { Migration } from "kysely/migration";

/** Marks the demo experiment. */
export const demo: Migration = {
  async up(db) {
    await db.schema
      .alterTable("experiments")
      .addColumn("is_demo", "integer", (col) => col.notNull().defaultTo(0))
      .execute();
  },
};
