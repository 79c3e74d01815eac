import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Identity updates, seats, invitations, ended sessions, billing events, and messages to the platform owner. */
export const peopleAndBilling: Migration = {
  async up(db) {
    await orderIdentityChanges(db);
    await nameSignInLinks(db);
    await createEndedSessions(db);
    await createKeyEpoch(db);
    await createBillingEvents(db);
    await createInbox(db);
    await orderPlatformLists(db);
  },
};

/** The latest update wins for each part: an email or a name keeps the order of the update that set it. */
async function orderIdentityChanges(db: Kysely<unknown>): Promise<void> {
  const parts = [
    ["users", "email_order"],
    ["users", "name_order"],
    ["orgs", "name_order"],
  ] as const;
  for (const [table, column] of parts) {
    await db.schema
      .alterTable(table)
      .addColumn(column, "bigint", (col) => col.notNull().defaultTo(0))
      .execute();
  }
  for (const table of ["orgs", "users", "memberships"]) {
    await db.schema
      .alterTable(table)
      .addColumn("change_order", "bigint", (col) => col.notNull().defaultTo(0))
      .execute();
    const ended = table === "memberships" ? "is_removed" : "is_deleted";
    await db.schema
      .alterTable(table)
      .addColumn(ended, "integer", (col) => col.notNull().defaultTo(0))
      .execute();
  }
  // Everyone who was a member before seats existed has a seat. Orders are four times the milliseconds (`changeOrder`).
  await db.schema.alterTable("memberships").addColumn("seated_at", "bigint").execute();
  await sql`update memberships set
    change_order = role_issued_at * 4, seated_at = created_at`.execute(db);
  await db.schema.alterTable("memberships").dropColumn("role_issued_at").execute();
}

async function nameSignInLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sign_in_links").addColumn("id", "text").execute();
  await db.schema
    .alterTable("sign_in_links")
    .addColumn("kind", "text", (col) => col.notNull().defaultTo("invitation"))
    .execute();
  await db.schema
    .alterTable("sign_in_links")
    .addColumn("created_at", "bigint", (col) => col.notNull().defaultTo(0))
    .execute();
  // An invitation lasts seven days. The start-up ticket lasts an hour, and its date no longer matters.
  await sql`update sign_in_links set created_at = expires_at - 604800000`.execute(db);
  const { rows } = await sql<{ token_hash: string }>`select token_hash from sign_in_links`.execute(db);
  for (const { token_hash } of rows)
    await sql`update sign_in_links set id = ${randomUUID()} where token_hash = ${token_hash}`.execute(db);
  await db.schema.createIndex("sign_in_links_id").unique().on("sign_in_links").column("id").execute();
}

async function createEndedSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ended_sessions")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("expires_at", "bigint", (col) => col.notNull())
    .execute();
}

/** A table with one row: how often a key has stopped being valid. */
async function createKeyEpoch(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("key_epochs")
    .addColumn("id", "integer", (col) => col.primaryKey().notNull())
    .addColumn("epoch", "bigint", (col) => col.notNull())
    .execute();
  await sql`insert into key_epochs (id, epoch) values (1, 0)`.execute(db);
}

async function createBillingEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("billing_events")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("type", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("customer_id", "text", (col) => col.notNull())
    .addColumn("org_id", "text", (col) => col.references("orgs.id"))
    .addColumn("subscription", "text")
    .execute();
  await db.schema
    .createIndex("billing_events_customer")
    .on("billing_events")
    .columns(["customer_id", "org_id"])
    .execute();
  await db.schema
    .createIndex("billing_events_org")
    .on("billing_events")
    .columns(["org_id", "customer_id"])
    .execute();
}

async function createInbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("feedback")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("author_id", "text", (col) => col.notNull())
    .addColumn("author_name", "text", (col) => col.notNull())
    .addColumn("author_email", "text", (col) => col.notNull())
    .addColumn("category", "text", (col) => col.notNull())
    .addColumn("message", "text", (col) => col.notNull())
    .addColumn("page", "text")
    .execute();
  await db.schema.createIndex("feedback_org_at").on("feedback").columns(["org_id", "at", "id"]).execute();
  await db.schema.createIndex("feedback_at").on("feedback").columns(["at", "id"]).execute();
  await db.schema
    .createTable("contact_messages")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("email", "text", (col) => col.notNull())
    .addColumn("company", "text")
    .addColumn("message", "text", (col) => col.notNull())
    .addColumn("sender", "text", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("contact_messages_sender_at")
    .on("contact_messages")
    .columns(["sender", "at"])
    .execute();
  await db.schema.createIndex("contact_messages_at").on("contact_messages").columns(["at", "id"]).execute();
}

/** Indexes that keep the platform owner's lists fast with any number of orgs and nights. */
async function orderPlatformLists(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("orgs_created").on("orgs").columns(["created_at", "id"]).execute();
  await db.schema.createIndex("pipeline_runs_day").on("pipeline_runs").columns(["day", "outcome"]).execute();
}
