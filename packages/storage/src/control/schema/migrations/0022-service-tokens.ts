import type { Migration } from "kysely/migration";

/** Credentials of machines, as hashes. */
export const serviceTokens: Migration = {
  async up(db) {
    await db.schema
      .createTable("service_tokens")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("role", "text", (col) => col.notNull())
      .addColumn("runs_nights", "integer", (col) => col.notNull())
      .addColumn("prefix", "text", (col) => col.notNull())
      .addColumn("hash", "text", (col) => col.notNull().unique())
      .addColumn("made_by", "text", (col) => col.notNull().references("users.id"))
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("expires_at", "bigint", (col) => col.notNull())
      .addColumn("last_used_at", "bigint")
      .execute();
    await db.schema
      .createIndex("service_tokens_org")
      .on("service_tokens")
      .columns(["org_id", "created_at", "id"])
      .execute();
  },
};
