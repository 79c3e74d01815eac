import type { Migration } from "kysely/migration";

/**
 * Passkeys of people with local identity, challenges that wait for an answer, and the last use of a passkey per
 * session.
 */
export const passkeys: Migration = {
  async up(db) {
    await db.schema
      .createTable("passkeys")
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("user_id", "text", (col) => col.notNull().references("users.id"))
      .addColumn("id", "text", (col) => col.notNull())
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("public_key", "text", (col) => col.notNull())
      .addColumn("counter", "bigint", (col) => col.notNull())
      .addColumn("transports", "text", (col) => col.notNull())
      .addColumn("is_backed_up", "integer", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("last_used_at", "bigint")
      .addPrimaryKeyConstraint("passkeys_key", ["org_id", "user_id", "id"])
      .execute();
    await db.schema
      .createTable("passkey_challenges")
      .addColumn("session_id", "text", (col) => col.notNull())
      .addColumn("purpose", "text", (col) => col.notNull())
      .addColumn("value", "text", (col) => col.notNull())
      .addColumn("expires_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("passkey_challenges_key", ["session_id", "purpose"])
      .execute();
    await db.schema.alterTable("sessions").addColumn("verified_at", "bigint").execute();
  },
};
