import type { Migration } from "kysely/migration";

/**
 * Stores incoming trace data as received, one row per request, until it is filed by trace. A request then waits for one row instead
 * of two rows and five index entries for every trace in it.
 */
export const traceBatches: Migration = {
  async up(db) {
    await db.schema
      .createTable("trace_batches")
      .addColumn("received_at", "bigint", (col) => col.notNull())
      .addColumn("batch_id", "text", (col) => col.notNull())
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("key_prefix", "text")
      .addColumn("client", "text")
      .addColumn("quiet_ms", "bigint", (col) => col.notNull())
      .addColumn("max_ms", "bigint", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("trace_batches_pkey", ["received_at", "batch_id"])
      .execute();
  },
};
