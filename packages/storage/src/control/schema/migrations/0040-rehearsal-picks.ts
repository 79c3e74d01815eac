import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** People's blind picks in the pairs of rehearsals. */
export const rehearsalPicks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("rehearsal_picks")
      // Cascades, because the previous version deletes rehearsals without knowing this table.
      .addColumn("rehearsal_id", "text", (col) =>
        col.notNull().references("rehearsals.id").onDelete("cascade"),
      )
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("place", "integer", (col) => col.notNull())
      .addColumn("arm", "integer", (col) => col.notNull())
      .addColumn("repeat", "integer", (col) => col.notNull())
      .addColumn("preference", "text", (col) => col.notNull())
      .addColumn("picked_by", "text", (col) => col.notNull())
      .addColumn("picked_by_name", "text", (col) => col.notNull())
      .addColumn("picked_at", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("rehearsal_picks_pkey", ["rehearsal_id", "place", "arm", "repeat"])
      .execute();
  },
};
