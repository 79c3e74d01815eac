import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** Rehearsals, their inputs, and the requests about each. */
export const rehearsals: Migration = {
  async up(db) {
    await createRehearsals(db);
    await createInputs(db);
    await createRequests(db);
  },
};

async function createRehearsals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("rehearsals")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    .addColumn("plan", "text", (col) => col.notNull())
    .addColumn("prices", "text", (col) => col.notNull())
    .addColumn("stop_when_enough", "integer", (col) => col.notNull())
    .addColumn("judge_model", "text", (col) => col.notNull())
    .addColumn("judge_version", "text", (col) => col.notNull())
    .addColumn("state", "text", (col) => col.notNull())
    .addColumn("ended_because", "text")
    .addColumn("ended_at", "bigint")
    .addColumn("fault", "text")
    .addColumn("spent_usd", "double precision", (col) => col.notNull().defaultTo(0))
    .addColumn("inputs", "integer", (col) => col.notNull())
    .addColumn("opened", "integer", (col) => col.notNull().defaultTo(-1))
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("created_by", "text", (col) => col.notNull())
    .addColumn("created_by_name", "text", (col) => col.notNull())
    .addColumn("changed_at", "bigint", (col) => col.notNull())
    .addColumn("claimed_at", "bigint", (col) => col.notNull().defaultTo(0))
    .addColumn("has_texts", "integer", (col) => col.notNull().defaultTo(1))
    .execute();
  await db.schema
    .createIndex("rehearsals_newest")
    .on("rehearsals")
    .columns(["org_id", "created_at", "id"])
    .execute();
  await db.schema.createIndex("rehearsals_next").on("rehearsals").columns(["state", "claimed_at"]).execute();
}

async function createInputs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("rehearsal_inputs")
    .addColumn("rehearsal_id", "text", (col) => col.notNull().references("rehearsals.id"))
    .addColumn("org_id", "text", (col) => col.notNull())
    .addColumn("place", "integer", (col) => col.notNull())
    .addColumn("item_id", "text", (col) => col.notNull())
    .addColumn("position", "integer", (col) => col.notNull())
    .addColumn("user_id", "text")
    .addColumn("probability", "double precision", (col) => col.notNull())
    .addColumn("characters", "integer", (col) => col.notNull())
    .addColumn("finished_at", "bigint")
    .addPrimaryKeyConstraint("rehearsal_inputs_pkey", ["rehearsal_id", "place"])
    .execute();
  await db.schema
    .createIndex("rehearsal_inputs_user")
    .on("rehearsal_inputs")
    .columns(["org_id", "user_id"])
    .execute();
}

/** Texts are the last columns, so that sums over the other columns need not read past them. */
async function createRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("rehearsal_requests")
    .addColumn("rehearsal_id", "text", (col) => col.notNull().references("rehearsals.id"))
    .addColumn("org_id", "text", (col) => col.notNull())
    .addColumn("place", "integer", (col) => col.notNull())
    .addColumn("step", "integer", (col) => col.notNull())
    .addColumn("kind", "text", (col) => col.notNull())
    .addColumn("arm", "integer", (col) => col.notNull())
    .addColumn("repeat", "integer", (col) => col.notNull())
    .addColumn("first", "text")
    .addColumn("state", "text", (col) => col.notNull().defaultTo("pending"))
    .addColumn("not_before", "bigint", (col) => col.notNull().defaultTo(0))
    .addColumn("claim", "text")
    .addColumn("attempts", "integer", (col) => col.notNull().defaultTo(0))
    .addColumn("estimate_usd", "double precision", (col) => col.notNull())
    .addColumn("preference", "text")
    .addColumn("score", "double precision")
    .addColumn("length", "bigint")
    .addColumn("latency_ms", "bigint")
    .addColumn("input_tokens", "bigint")
    .addColumn("output_tokens", "bigint")
    .addColumn("cost_usd", "double precision")
    .addColumn("cause", "text")
    .addColumn("settled_at", "bigint")
    .addColumn("detail", "text")
    .addColumn("reason", "text")
    .addColumn("text", "text")
    .addPrimaryKeyConstraint("rehearsal_requests_pkey", ["rehearsal_id", "place", "step"])
    .execute();
  await db.schema
    .createIndex("rehearsal_requests_state")
    .on("rehearsal_requests")
    .columns(["state", "rehearsal_id", "place", "step"])
    .execute();
}
