import type { Migration } from "kysely/migration";

/** Links that show reports to people without an account, and whether an org allows them. */
export const reportLinks: Migration = {
  async up(db) {
    await db.schema
      .createTable("report_links")
      .addColumn("id", "text", (col) => col.primaryKey())
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("created_by", "text", (col) => col.notNull())
      .addColumn("created_by_name", "text", (col) => col.notNull())
      .addColumn("created_at", "bigint", (col) => col.notNull())
      .addColumn("expires_at", "bigint", (col) => col.notNull())
      // Cascades, because the previous version deletes experiments without knowing this table.
      .addForeignKeyConstraint(
        "report_links_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("report_links_newest")
      .on("report_links")
      .columns(["org_id", "experiment_id", "created_at"])
      .execute();
    await db.schema
      .alterTable("orgs")
      .addColumn("forbids_report_links", "integer", (col) => col.notNull().defaultTo(0))
      .execute();
  },
};
