import type { Migration } from "kysely/migration";

/** The checkout that each org opened last, and the overage reported to the billing provider. */
export const checkoutsAndOverage: Migration = {
  async up(db) {
    await db.schema
      .createTable("checkouts")
      .addColumn("org_id", "text", (col) => col.primaryKey().notNull().references("orgs.id"))
      .addColumn("checkout_id", "text", (col) => col.notNull())
      .execute();
    await db.schema
      .createTable("metered_overage")
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("month", "text", (col) => col.notNull())
      .addColumn("reported", "bigint", (col) => col.notNull())
      .addColumn("pending", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("metered_overage_pk", ["org_id", "month"])
      .execute();
  },
};
