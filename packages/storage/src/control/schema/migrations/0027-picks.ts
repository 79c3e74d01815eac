import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { dialectOf } from "../../dialect/dialect.ts";

/** Which of several answers people preferred: one row per answer of a pick. */
export const picks: Migration = {
  async up(db: Kysely<unknown>) {
    const { codePointText } = dialectOf(db);
    await db.schema
      .createTable("picks")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("experiment_id", "text", (col) => col.notNull())
      .addColumn("id", "text", (col) => col.notNull())
      .addColumn("event_id", codePointText, (col) => col.notNull())
      .addColumn("variant", "text", (col) => col.notNull())
      .addColumn("user_id", codePointText, (col) => col.notNull())
      .addColumn("is_best", "integer", (col) => col.notNull())
      .addColumn("picked_by", "text", (col) => col.notNull())
      .addColumn("picked_by_name", "text", (col) => col.notNull())
      .addColumn("picked_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("picks_pkey", ["experiment_id", "id", "event_id"])
      // Cascades, because the previous version deletes experiments without knowing this table.
      .addForeignKeyConstraint(
        "picks_experiment",
        ["org_id", "experiment_id"],
        "experiments",
        ["org_id", "id"],
        (key) => key.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("picks_newest")
      .on("picks")
      .columns(["experiment_id", "picked_at", "id"])
      .execute();
    await db.schema.createIndex("picks_user").on("picks").columns(["org_id", "user_id"]).execute();
  },
};
