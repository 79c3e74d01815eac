import type { Migration } from "kysely/migration";

/** Incomplete erasures of users, and an index to find a user's judgements. */
export const erasures: Migration = {
  async up(db) {
    await db.schema
      .createTable("erasures")
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("user_id", "text", (col) => col.notNull())
      .addColumn("requested_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("erasures_pkey", ["org_id", "user_id"])
      .execute();
    await db.schema.createIndex("judgements_user").on("judgements").columns(["org_id", "user_id"]).execute();
  },
};
