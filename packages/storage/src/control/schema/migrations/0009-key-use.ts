import type { Migration } from "kysely/migration";

/** When each API key was last used; null for keys not used since this migration. */
export const keyUse: Migration = {
  async up(db) {
    await db.schema.alterTable("api_keys").addColumn("last_used_at", "bigint").execute();
  },
};
