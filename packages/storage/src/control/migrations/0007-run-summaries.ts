import type { Migration } from "kysely/migration";

/** What lists show of a run, beside its body. Null for runs from before: filled when a list reads them. */
export const runSummaries: Migration = {
  async up(db) {
    await db.schema.alterTable("results").addColumn("summary", "text").execute();
  },
};
