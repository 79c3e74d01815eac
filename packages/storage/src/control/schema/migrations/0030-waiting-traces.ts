import type { Migration } from "kysely/migration";

/** Facts that OpenTelemetry reported about traces, until they are joined. */
export const waitingTraces: Migration = {
  async up(db) {
    await db.schema
      .createTable("waiting_traces")
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      .addColumn("trace_id", "text", (col) => col.notNull())
      .addColumn("key_prefix", "text")
      .addColumn("client", "text")
      .addColumn("first_at", "bigint", (col) => col.notNull())
      .addColumn("waiting_since", "bigint")
      .addColumn("due_at", "bigint")
      .addColumn("revision", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("waiting_traces_pkey", ["org_id", "trace_id"])
      .execute();
    await db.schema
      .createIndex("waiting_traces_due")
      .on("waiting_traces")
      .columns(["due_at", "first_at"])
      .execute();
    await db.schema
      .createTable("trace_facts")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("trace_id", "text", (col) => col.notNull())
      .addColumn("fact_key", "text", (col) => col.notNull())
      .addColumn("user_id", "text")
      .addColumn("scope", "text")
      .addColumn("is_stream", "integer", (col) => col.notNull())
      .addColumn("has_usage", "integer", (col) => col.notNull())
      .addColumn("outcome", "text")
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("trace_facts_pkey", ["org_id", "trace_id", "fact_key"])
      .addForeignKeyConstraint(
        "trace_facts_trace",
        ["org_id", "trace_id"],
        "waiting_traces",
        ["org_id", "trace_id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createIndex("trace_facts_user")
      .on("trace_facts")
      .columns(["org_id", "user_id"])
      .execute();
    await db.schema
      .createIndex("trace_facts_calls")
      .on("trace_facts")
      .columns(["org_id", "scope", "is_stream", "has_usage", "outcome"])
      .execute();
  },
};
