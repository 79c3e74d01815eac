import type { Migration } from "kysely/migration";

/** For the page that helps set up OpenTelemetry, which polls for new traces every two seconds. */
export const newestTraces: Migration = {
  async up(db) {
    await db.schema
      .createIndex("waiting_traces_newest")
      .on("waiting_traces")
      .columns(["org_id", "first_at"])
      .execute();
  },
};
