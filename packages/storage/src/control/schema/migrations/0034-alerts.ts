import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Alert channels, the raised facts, and the deliveries of their messages. */
export const alerts: Migration = {
  async up(db) {
    await db.schema
      .createTable("alert_channels")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("kind", "text", (col) => col.notNull())
      .addColumn("target", "text", (col) => col.notNull())
      .addColumn("secret", "text")
      .addColumn("previous_secret", "text")
      .addColumn("previous_until", "bigint")
      .addColumn("types", "text")
      .addColumn("is_on", "integer", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("failing_since", "bigint")
      .execute();
    await db.schema.createIndex("alert_channels_org").on("alert_channels").column("org_id").execute();
    await db.schema
      .createTable("alerts")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("type", "text", (col) => col.notNull())
      .addColumn("key", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text")
      .addColumn("raised_at", "bigint", (col) => col.notNull())
      .addColumn("ended_at", "bigint")
      // Cascades, because the previous version deletes experiments without knowing this table.
      .addForeignKeyConstraint(
        "alerts_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("alerts_open")
      .on("alerts")
      .columns(["org_id", "type", "key"])
      .unique()
      .where(sql<boolean>`ended_at is null`)
      .execute();
    await db.schema
      .createIndex("alerts_experiment_open")
      .on("alerts")
      .columns(["org_id", "experiment_id"])
      .execute();
    await db.schema
      .createTable("alert_deliveries")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("channel_id", "text", (col) =>
        col.notNull().references("alert_channels.id").onDelete("cascade"),
      )
      .addColumn("message", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("status", "text", (col) => col.notNull())
      .addColumn("attempts", "integer", (col) => col.notNull())
      .addColumn("first_at", "bigint")
      .addColumn("last_at", "bigint")
      .addColumn("next_at", "bigint")
      .addColumn("code", "integer")
      .addColumn("answer", "text")
      .execute();
    await db.schema
      .createIndex("alert_deliveries_newest")
      .on("alert_deliveries")
      .columns(["org_id", "channel_id", "created_at", "id"])
      .execute();
    await db.schema
      .createIndex("alert_deliveries_due")
      .on("alert_deliveries")
      .columns(["status", "next_at"])
      .execute();
  },
};
