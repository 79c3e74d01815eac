import type { Migration } from "kysely/migration";

/** A judge may score a unit other than the user, and a part of its transcript. */
export const judgedUnits: Migration = {
  async up(db) {
    await db.schema.alterTable("judgements").addColumn("unit_id", "text").execute();
    await db.schema
      .alterTable("judgements")
      .addColumn("is_cut", "integer", (col) => col.notNull().defaultTo(0))
      .execute();
  },
};
