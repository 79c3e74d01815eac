import type { Migration } from "kysely/migration";

/** Origins of the pages that may use a key, as a JSON list; null: any origin. */
export const allowedOrigins: Migration = {
  async up(db) {
    await db.schema.alterTable("api_keys").addColumn("allowed_origins", "text").execute();
  },
};
