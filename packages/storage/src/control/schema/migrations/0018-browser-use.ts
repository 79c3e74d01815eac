import type { Migration } from "kysely/migration";

/** When a web page last used a key. */
export const browserUse: Migration = {
  async up(db) {
    await db.schema.alterTable("api_keys").addColumn("last_browser_use_at", "bigint").execute();
  },
};
