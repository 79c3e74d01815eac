import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Orgs, users, memberships, sign-in links, API keys and the monthly usage. */
export const access: Migration = {
  async up(db) {
    await createPeople(db);
    await createMemberships(db);
    await createCredentials(db);
    await createUsage(db);
  },
};

async function createPeople(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("orgs")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("external_id", "text", (col) => col.notNull().unique())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("config_version", "bigint", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createTable("users")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("external_id", "text", (col) => col.notNull().unique())
    .addColumn("email", "text", (col) => col.notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
}

async function createMemberships(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("memberships")
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("user_id", "text", (col) => col.notNull().references("users.id"))
    .addColumn("role", "text", (col) => col.notNull())
    .addColumn("role_issued_at", "bigint", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("memberships_pkey", ["org_id", "user_id"])
    .execute();
  await db.schema.createIndex("memberships_user").on("memberships").column("user_id").execute();
}

async function createCredentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sign_in_links")
    .addColumn("token_hash", "text", (col) => col.primaryKey().notNull())
    .addColumn("external_org_id", "text", (col) => col.notNull())
    .addColumn("email", "text", (col) => col.notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("role", "text", (col) => col.notNull())
    .addColumn("expires_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createTable("api_keys")
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("scope", "text", (col) => col.notNull())
    .addColumn("hash", "text", (col) => col.notNull().unique())
    .addColumn("sealed", "text")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("api_keys_pkey", ["org_id", "scope"])
    .execute();
}

async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("usage")
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("month", "text", (col) => col.notNull())
    .addColumn("events", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("usage_pkey", ["org_id", "month"])
    .execute();
}
