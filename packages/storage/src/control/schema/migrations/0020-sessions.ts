import type { Migration } from "kysely/migration";

/**
 * Sessions that this installation signed. People can list and end theirs, and identity providers can be asked about them.
 */
export const sessions: Migration = {
  async up(db) {
    await db.schema
      .createTable("sessions")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text")
      .addColumn("user_id", "text", (col) => col.notNull())
      .addColumn("started_at", "bigint", (col) => col.notNull())
      .addColumn("last_used_at", "bigint", (col) => col.notNull())
      .addColumn("ends_at", "bigint", (col) => col.notNull())
      .addColumn("user_agent", "text", (col) => col.notNull())
      .addColumn("sealed_refresh_token", "text")
      .addColumn("asked_at", "bigint", (col) => col.notNull())
      .addColumn("confirmed_at", "bigint", (col) => col.notNull())
      .execute();
    await db.schema.createIndex("sessions_user").on("sessions").column("user_id").execute();
  },
};
