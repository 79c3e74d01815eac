import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Stored results and the log of the nightly pipeline. */
export const analysis: Migration = {
  async up(db) {
    await createResults(db);
    await createPipelineRuns(db);
  },
};

async function createResults(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("results")
    .addColumn("org_id", "text", (col) => col.notNull())
    .addColumn("experiment_id", "text", (col) => col.notNull())
    .addColumn("label", "text", (col) => col.notNull())
    .addColumn("window_to", "bigint", (col) => col.notNull())
    .addColumn("preliminary", "integer", (col) => col.notNull())
    .addColumn("computed_at", "bigint", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("results_pkey", ["experiment_id", "label", "window_to"])
    .addForeignKeyConstraint("results_experiment", ["org_id", "experiment_id"], "experiments", [
      "org_id",
      "id",
    ])
    .execute();
  await db.schema
    .createIndex("results_computed")
    .on("results")
    .columns(["org_id", "experiment_id", "computed_at", "window_to", "label"])
    .execute();
}

async function createPipelineRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("pipeline_runs")
    .addColumn("org_id", "text", (col) => col.notNull())
    .addColumn("experiment_id", "text", (col) => col.notNull())
    .addColumn("day", "text", (col) => col.notNull())
    .addColumn("outcome", "text", (col) => col.notNull())
    .addColumn("window_to", "bigint", (col) => col.notNull())
    .addColumn("started_at", "bigint", (col) => col.notNull())
    .addColumn("finished_at", "bigint")
    .addColumn("lease_until", "bigint", (col) => col.notNull())
    .addColumn("detail", "text")
    .addPrimaryKeyConstraint("pipeline_runs_pkey", ["experiment_id", "day"])
    .addForeignKeyConstraint("pipeline_runs_experiment", ["org_id", "experiment_id"], "experiments", [
      "org_id",
      "id",
    ])
    .execute();
}
