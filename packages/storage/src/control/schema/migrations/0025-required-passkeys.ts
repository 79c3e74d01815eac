import type { Migration } from "kysely/migration";

/** Whether an org's members need a passkey in addition to their sign-in link. */
export const requiredPasskeys: Migration = {
  async up(db) {
    await db.schema
      .alterTable("orgs")
      .addColumn("requires_passkey", "integer", (col) => col.notNull().defaultTo(0))
      .execute();
  },
};
