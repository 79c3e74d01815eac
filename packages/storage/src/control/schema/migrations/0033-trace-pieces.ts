import { type ForeignKeyConstraintBuilder, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** The key of a trace in this table and in the table of traces. */
const TRACE: ["org_id", "trace_id"] = ["org_id", "trace_id"];
const cascades = (constraint: ForeignKeyConstraintBuilder) => constraint.onDelete("cascade");

/**
 * Stores the facts of a trace that arrived together as one row, and counts the outcomes of its calls and scores. A trace then needs
 * four index entries instead of a dozen. The old table of facts stays, empty, for processes of the previous version.
 */
export const tracePieces: Migration = {
  async up(db) {
    await db.schema
      .alterTable("waiting_traces")
      .addColumn("size", "bigint", (col) => col.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable("waiting_traces").addColumn("waiting_calls", "text").execute();
    await db.schema
      .createTable("trace_pieces")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("trace_id", "text", (col) => col.notNull())
      .addColumn("piece_key", "text", (col) => col.notNull())
      .addColumn("user_id", "text")
      .addColumn("size", "bigint", (col) => col.notNull())
      .addColumn("body", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("trace_pieces_pkey", ["org_id", "trace_id", "piece_key"])
      .addForeignKeyConstraint("trace_pieces_trace", TRACE, "waiting_traces", TRACE, cascades)
      .execute();
    await db.schema
      .createIndex("trace_pieces_user")
      .on("trace_pieces")
      .columns(["org_id", "user_id"])
      .where(sql.ref("user_id"), "is not", null)
      .execute();
    await db.schema
      .createTable("trace_outcomes")
      .addColumn("org_id", "text", (col) => col.notNull())
      .addColumn("trace_id", "text", (col) => col.notNull())
      .addColumn("kind", "text", (col) => col.notNull())
      .addColumn("scope", "text", (col) => col.notNull())
      .addColumn("is_stream", "integer", (col) => col.notNull())
      .addColumn("has_usage", "integer", (col) => col.notNull())
      .addColumn("outcome", "text", (col) => col.notNull())
      .addColumn("count", "bigint", (col) => col.notNull())
      .addPrimaryKeyConstraint("trace_outcomes_pkey", [
        ...TRACE,
        "kind",
        "scope",
        "is_stream",
        "has_usage",
        "outcome",
      ])
      .addForeignKeyConstraint("trace_outcomes_trace", TRACE, "waiting_traces", TRACE, cascades)
      .execute();
    await db.schema
      .createIndex("trace_outcomes_counted")
      .on("trace_outcomes")
      .columns(["org_id", "kind", "scope", "is_stream", "has_usage", "outcome", "count"])
      .execute();
    await sql`insert into trace_pieces
      select org_id, trace_id, fact_key, user_id, 1024 + length(body), '[' || body || ']' from trace_facts`.execute(
      db,
    );
    await sql`update waiting_traces set size = (select coalesce(sum(size), 0) from trace_pieces
      where trace_pieces.org_id = waiting_traces.org_id and trace_pieces.trace_id = waiting_traces.trace_id)`.execute(
      db,
    );
    await sql`insert into trace_outcomes
      select org_id, trace_id, kind, scope, is_stream, has_usage, outcome, count(*)
      from (select org_id, trace_id, case when scope is null then 'score' else 'call' end as kind,
          coalesce(scope, '') as scope, is_stream, has_usage, outcome from trace_facts) as facts
      where outcome <> 'waiting'
      group by org_id, trace_id, kind, scope, is_stream, has_usage, outcome`.execute(db);
    await sql`delete from trace_facts`.execute(db);
  },
};
