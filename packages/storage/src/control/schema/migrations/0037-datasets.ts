import type { Migration } from "kysely/migration";

/** Datasets and their inputs. */
export const datasets: Migration = {
  async up(db) {
    await db.schema
      .createTable("datasets")
      .addColumn("id", "text", (col) => col.primaryKey().notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("name", "text", (col) => col.notNull())
      .addColumn("version", "integer", (col) => col.notNull())
      .addColumn("source", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("created_by", "text", (col) => col.notNull())
      .addColumn("expires_at", "bigint")
      .addUniqueConstraint("datasets_version", ["org_id", "name", "version"])
      .execute();
    await db.schema
      .createTable("dataset_items")
      .addColumn("dataset_id", "text", (col) => col.notNull().references("datasets.id"))
      .addColumn("position", "integer", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("dataset_items_pkey", ["dataset_id", "position"])
      .execute();
  },
};
