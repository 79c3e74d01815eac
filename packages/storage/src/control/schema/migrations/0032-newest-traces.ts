import type { Migration } from "kysely/migration";

/** Somebody who sets OpenTelemetry up looks every two seconds whether something came. */
export const newestTraces: Migration = {
  async up(db) {
    await db.schema
      .createIndex("waiting_traces_newest")
      .on("waiting_traces")
      .columns(["org_id", "first_at"])
      .execute();
  },
};
