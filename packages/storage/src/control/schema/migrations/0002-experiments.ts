import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Experiments, their versions and the buckets claimed one by one. */
export const experiments: Migration = {
  async up(db) {
    await createExperiments(db);
    await createVersions(db);
    await createClaims(db);
  },
};

async function createExperiments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("experiments")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("version", "bigint", (col) => col.notNull())
    .addColumn("status", "text", (col) => col.notNull())
    .addColumn("stopped_at", "bigint")
    .addColumn("served_at", "bigint")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addUniqueConstraint("experiments_org_name", ["org_id", "name"])
    // Other tables reference this pair, so that no row can pair an experiment with the wrong org.
    .addUniqueConstraint("experiments_org_id", ["org_id", "id"])
    .execute();
  await db.schema
    .createIndex("experiments_org_created")
    .on("experiments")
    .columns(["org_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("experiments_status_stopped")
    .on("experiments")
    .columns(["status", "stopped_at"])
    .execute();
}

async function createVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("experiment_versions")
    .addColumn("experiment_id", "text", (col) => col.notNull().references("experiments.id"))
    .addColumn("version", "bigint", (col) => col.notNull())
    .addColumn("config", "text", (col) => col.notNull())
    .addColumn("bucket_map", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("created_by", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("experiment_versions_pkey", ["experiment_id", "version"])
    .execute();
}

async function createClaims(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("bucket_claims")
    .addColumn("experiment_id", "text", (col) => col.notNull().references("experiments.id"))
    .addColumn("bucket", "bigint", (col) => col.notNull())
    .addColumn("claimed_at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("bucket_claims_pkey", ["experiment_id", "bucket"])
    .execute();
}
