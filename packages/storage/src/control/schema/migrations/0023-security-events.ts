import type { Migration } from "kysely/migration";

/** The orgs' own security events. Unlike audit entries they expire. */
export const securityEvents: Migration = {
  async up(db) {
    await db.schema
      .createTable("security_events")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("at", "bigint", (col) => col.notNull())
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("actor", "text")
      .addColumn("network", "text")
      .addColumn("route", "text")
      .addColumn("reason", "text")
      .addColumn("subject", "text")
      .addColumn("left_out", "bigint", (col) => col.notNull())
      .execute();
    await db.schema
      .createIndex("security_events_org_at")
      .on("security_events")
      .columns(["org_id", "at", "id"])
      .execute();
    await db.schema
      .createIndex("security_events_org_name_at")
      .on("security_events")
      .columns(["org_id", "name", "at", "id"])
      .execute();
    await db.schema.createIndex("security_events_at").on("security_events").column("at").execute();
  },
};
