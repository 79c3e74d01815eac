import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Frozen inputs of rehearsals, and each org's masking rules for them. */
export const datasets: Migration = {
  async up(db) {
    await db.schema
      .createTable("datasets")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("version", "integer", (col) => col.notNull())
      .addColumn("items", "integer", (col) => col.notNull())
      .addColumn("source", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text")
      .addColumn("received_from", "bigint")
      .addColumn("masked", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("created_by", "text", (col) => col.notNull())
      .addColumn("expires_at", "bigint")
      // Cascades, because the previous version deletes experiments without knowing this table.
      .addForeignKeyConstraint(
        "datasets_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("datasets_version")
      .on("datasets")
      .columns(["org_id", "name", "version"])
      .unique()
      .execute();
    await db.schema
      .createIndex("datasets_newest")
      .on("datasets")
      .columns(["org_id", "created_at", "id"])
      .execute();
    await db.schema
      .createIndex("datasets_of_experiment")
      .on("datasets")
      .columns(["org_id", "experiment_id"])
      .execute();
    await db.schema
      .createTable("dataset_items")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("dataset_id", "text", (col) => col.notNull().references("datasets.id").onDelete("cascade"))
      .addColumn("position", "integer", (col) => col.notNull())
      .addColumn("item_id", "text", (col) => col.notNull())
      .addColumn("user_id", "text")
      .addColumn("occurred_at", "bigint")
      .addColumn("probability", "double precision", (col) => col.notNull())
      .addColumn("messages", "text", (col) => col.notNull())
      .addColumn("reference", "text")
      .addPrimaryKeyConstraint("dataset_items_pkey", ["dataset_id", "position"])
      .addUniqueConstraint("dataset_items_id", ["dataset_id", "item_id"])
      .execute();
    await db.schema
      .createIndex("dataset_items_user")
      .on("dataset_items")
      .columns(["org_id", "user_id"])
      .where(sql.ref("user_id"), "is not", null)
      .execute();
    await db.schema
      .createTable("masking_rules")
      .addColumn("org_id", "text", (col) => col.primaryKey().notNull().references("orgs.id"))
      .addColumn("rules", "text", (col) => col.notNull())
      .execute();
  },
};
