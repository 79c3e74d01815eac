import type { Migration } from "kysely/migration";

/** The users and groups that an identity provider provisions by SCIM, and each org's token for it. */
export const scim: Migration = {
  async up(db) {
    await db.schema
      .createTable("scim_tokens")
      .addColumn("org_id", "text", (col) => col.primaryKey().notNull().references("orgs.id"))
      .addColumn("hash", "text", (col) => col.notNull().unique())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .execute();
    await db.schema
      .createTable("scim_resources")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("kind", "text", (col) => col.notNull())
      .addColumn("name_key", "text", (col) => col.notNull())
      .addColumn("external_id", "text")
      .addColumn("email", "text")
      .addColumn("is_active", "integer", (col) => col.notNull())
      .addColumn("is_deleted", "integer", (col) => col.notNull())
      .addColumn("document", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("updated_at", "bigint", (col) => col.notNull())
      .execute();
    await db.schema
      .createIndex("scim_resources_name")
      .on("scim_resources")
      .columns(["org_id", "kind", "name_key"])
      .execute();
  },
};
