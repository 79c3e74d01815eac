import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { dialectOf } from "../../dialect/dialect.ts";

/** The audit log, append-only in the database itself. */
export const audit: Migration = {
  async up(db) {
    await createEntries(db);
    const forbidChanges = { postgres: forbidChangesOnPostgres, sqlite: forbidChangesOnSqlite };
    await forbidChanges[dialectOf(db).name](db);
  },
};

async function createEntries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audit_entries")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("actor_id", "text", (col) => col.notNull())
    .addColumn("actor_name", "text", (col) => col.notNull())
    .addColumn("actor_email", "text", (col) => col.notNull())
    .addColumn("action", "text", (col) => col.notNull())
    .addColumn("target_type", "text", (col) => col.notNull())
    .addColumn("target_id", "text", (col) => col.notNull())
    .addColumn("summary", "text", (col) => col.notNull())
    .addColumn("diff", "text")
    .execute();
  await db.schema
    .createIndex("audit_entries_org_at")
    .on("audit_entries")
    .columns(["org_id", "at", "id"])
    .execute();
  await db.schema
    .createIndex("audit_entries_target_at")
    .on("audit_entries")
    .columns(["org_id", "target_id", "at", "id"])
    .execute();
}

async function forbidChangesOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'audit entries are append-only';
    end $$`.execute(db);
  await sql`
    create trigger audit_entries_no_change before update or delete or truncate on audit_entries
    for each statement execute function refuse_audit_change()`.execute(db);
}

async function forbidChangesOnSqlite(db: Kysely<unknown>): Promise<void> {
  const refusals = [
    sql`create trigger audit_entries_no_update before update on audit_entries`,
    sql`create trigger audit_entries_no_delete before delete on audit_entries`,
    // `insert or replace` deletes the old row without firing its delete trigger.
    sql`create trigger audit_entries_no_replace before insert on audit_entries
      when exists (select 1 from audit_entries where id = new.id)`,
  ];
  for (const refusal of refusals) {
    await sql`${refusal} begin select raise(abort, 'audit entries are append-only'); end`.execute(db);
  }
}
