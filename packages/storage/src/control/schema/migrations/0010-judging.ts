import type { CreateTableBuilder, Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { dialectOf } from "../../dialect/dialect.ts";

/** Calls drawn for judges per day, the judgements, their costs, and people's labels. */
export const judging: Migration = {
  async up(db) {
    await createPlans(db);
    await createJudgements(db);
    await createCosts(db);
    await createLabels(db);
  },
};

async function createPlans(db: Kysely<unknown>): Promise<void> {
  await ofSeries(db, "judging_plans")
    .addColumn("day", "text", (col) => col.notNull())
    .addColumn("judge_version", "text", (col) => col.notNull())
    .addColumn("calls", "text", (col) => col.notNull())
    .addColumn("drawn", "text", (col) => col.notNull())
    .addColumn("planned_at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("judging_plans_pkey", ["experiment_id", "metric", "metric_version", "day"])
    .execute();
}

async function createJudgements(db: Kysely<unknown>): Promise<void> {
  await ofSeries(db, "judgements")
    .addColumn("id", "text", (col) => col.notNull().unique())
    // Analyses page through the events in this order.
    .addColumn("event_id", dialectOf(db).codePointText, (col) => col.notNull())
    .addColumn("is_repeat", "integer", (col) => col.notNull())
    .addColumn("judge_version", "text", (col) => col.notNull())
    .addColumn("day", "text", (col) => col.notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("arm", "text", (col) => col.notNull())
    .addColumn("occurred_at", "bigint", (col) => col.notNull())
    .addColumn("probability", "double precision", (col) => col.notNull())
    .addColumn("draw_order", "bigint", (col) => col.notNull())
    .addColumn("has_failed", "integer", (col) => col.notNull())
    .addColumn("drawn_at", "bigint", (col) => col.notNull())
    .addColumn("changed_at", "bigint", (col) => col.notNull())
    .addColumn("state", "text", (col) => col.notNull().defaultTo("pending"))
    .addColumn("not_before", "bigint", (col) => col.notNull().defaultTo(0))
    .addColumn("claim", "text")
    .addColumn("attempts", "integer", (col) => col.notNull().defaultTo(0))
    .addColumn("score", "double precision")
    .addColumn("reason", "text")
    .addColumn("answer_length", "bigint")
    .addColumn("cause", "text")
    .addColumn("detail", "text")
    .addColumn("input_tokens", "bigint", (col) => col.notNull().defaultTo(0))
    .addColumn("output_tokens", "bigint", (col) => col.notNull().defaultTo(0))
    .addColumn("cost_usd", "double precision")
    .addColumn("judged_at", "bigint")
    .addPrimaryKeyConstraint("judgements_pkey", [
      "experiment_id",
      "metric",
      "metric_version",
      "event_id",
      "is_repeat",
    ])
    .execute();
  for (const [name, columns] of JUDGEMENT_INDEXES)
    await db.schema.createIndex(`judgements_${name}`).on("judgements").columns(columns).execute();
}

/** One index per query: the next to judge, the open ones, those to show to people, the last changed, those of an event. */
const JUDGEMENT_INDEXES: readonly (readonly [name: string, columns: string[]])[] = [
  ["next", ["state", "day", "draw_order", "not_before"]],
  ["open", ["org_id", "state", "experiment_id", "changed_at", "id"]],
  ["shown", ["experiment_id", "metric", "metric_version", "arm", "is_repeat", "state", "draw_order"]],
  ["changed", ["org_id", "experiment_id", "changed_at", "id"]],
  ["event", ["experiment_id", "event_id"]],
];

async function createCosts(db: Kysely<unknown>): Promise<void> {
  await ofSeries(db, "judging_costs")
    .addColumn("day", "text", (col) => col.notNull())
    .addColumn("evaluations", "bigint", (col) => col.notNull())
    .addColumn("cost_usd", "double precision", (col) => col.notNull())
    .addColumn("unpriced", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("judging_costs_pkey", ["experiment_id", "metric", "metric_version", "day"])
    .execute();
}

async function createLabels(db: Kysely<unknown>): Promise<void> {
  await ofSeries(db, "labels")
    .addColumn("id", "text", (col) => col.notNull().unique())
    .addColumn("event_id", dialectOf(db).codePointText, (col) => col.notNull())
    .addColumn("score", "double precision")
    .addColumn("note", "text")
    .addColumn("labelled_by", "text", (col) => col.notNull())
    .addColumn("labelled_by_name", "text", (col) => col.notNull())
    .addColumn("labelled_at", "bigint", (col) => col.notNull())
    .addColumn("is_drawn", "integer", (col) => col.notNull())
    .addPrimaryKeyConstraint("labels_pkey", ["experiment_id", "metric", "metric_version", "event_id"])
    .execute();
  await db.schema
    .createIndex("labels_labelled")
    .on("labels")
    .columns(["org_id", "experiment_id", "labelled_at", "id"])
    .execute();
}

/** Begins a table whose rows belong to a series: one judge of one metric. */
const ofSeries = (
  db: Kysely<unknown>,
  table: string,
): CreateTableBuilder<string, "org_id" | "experiment_id" | "metric" | "metric_version"> =>
  db.schema
    .createTable(table)
    .addColumn("org_id", "text", (col) => col.notNull())
    .addColumn("experiment_id", "text", (col) => col.notNull())
    .addColumn("metric", "text", (col) => col.notNull())
    .addColumn("metric_version", "integer", (col) => col.notNull())
    .addForeignKeyConstraint(`${table}_experiment`, ["org_id", "experiment_id"], "experiments", [
      "org_id",
      "id",
    ]);
