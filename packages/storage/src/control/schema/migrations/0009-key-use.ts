import type { Migration } from "kysely/migration";

/** When each API key was last used; null for those that were not used since. */
export const keyUse: Migration = {
  async up(db) {
    await db.schema.alterTable("api_keys").addColumn("last_used_at", "bigint").execute();
  },
};
