import {
  type Json,
  type ResultStore,
  type RunSummary,
  resultsOf,
  type StoredRun,
  type SummarisedRun,
  summariseRun,
} from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import { inTransaction } from "./in-transaction.ts";
import type { Database } from "./schema.ts";

const KEYS = [
  "results.orgId",
  "results.experimentId",
  "results.label",
  "results.preliminary",
  "results.windowTo",
  "results.computedAt",
] as const;
const WITH_BODY = [...KEYS, "results.body"] as const;

/** Binds the result store to a database or a transaction. */
export const resultStore = (db: Kysely<Database>): ResultStore => ({
  async put({ orgId, experimentId, label, windowTo, preliminary, computedAt, body }, summary) {
    const stored = await db
      .insertInto("results")
      .values({
        orgId,
        experimentId,
        label,
        windowTo,
        preliminary: preliminary ? 1 : 0,
        computedAt,
        body: JSON.stringify(body),
        summary: JSON.stringify(summary),
      })
      .onConflict((conflict) => conflict.columns(["experimentId", "label", "windowTo"]).doNothing())
      .returning("label")
      .executeTakeFirst();
    return stored !== undefined;
  },

  async find(orgId, experimentId, label) {
    let query = db
      .selectFrom("results")
      .select(WITH_BODY)
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId);
    if (label !== undefined) query = query.where("label", "=", label);
    else query = query.orderBy("computedAt", "desc");
    const run = await query.orderBy("windowTo", "desc").orderBy("label", "desc").limit(1).executeTakeFirst();
    return run ? toRun(run) : null;
  },

  async listNightlyBefore(orgId, experimentId, { windowTo, limit }) {
    const rows = await db
      .with("nights", (with_) => lastRunOfEachNight(with_, { orgId, experimentId, windowTo, limit }))
      .selectFrom("nights")
      .innerJoin("results", (join) =>
        join
          .on("results.experimentId", "=", experimentId)
          .onRef("results.label", "=", "nights.label")
          .onRef("results.windowTo", "=", "nights.cutOff"),
      )
      .select(WITH_BODY)
      .orderBy("results.windowTo")
      .orderBy("results.label")
      .execute();
    return rows.map(toRun);
  },

  async listLabels(orgId, experimentId) {
    const rows = await db
      .selectFrom("results")
      .select("label")
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .groupBy("label")
      .orderBy((eb) => eb.fn.max("computedAt"), "desc")
      .orderBy("label", "desc")
      .execute();
    return rows.map(({ label }) => label);
  },

  async listAllLabels(orgId) {
    const rows = await db
      .selectFrom("results")
      .select(["experimentId", "label"])
      .where("orgId", "=", orgId)
      .groupBy(["experimentId", "label"])
      .orderBy("experimentId")
      .orderBy((eb) => eb.fn.max("computedAt"), "desc")
      .orderBy("label", "desc")
      .execute();
    const byExperiment = Map.groupBy(rows, ({ experimentId }) => experimentId);
    return new Map([...byExperiment].map(([id, labels]) => [id, labels.map(({ label }) => label)]));
  },

  async listLatest(orgId) {
    return firstOfEach(await latestRuns(db, orgId).select(WITH_BODY).execute()).map(toRun);
  },

  async listLatestSummaries(orgId) {
    const rows = firstOfEach(await latestRuns(db, orgId).select(KEYS).select("summary").execute());
    const summaries: SummarisedRun[] = [];
    for (let start = 0; start < rows.length; start += SUMMARIES_PER_COMMIT)
      summaries.push(...(await withSummaries(db, rows.slice(start, start + SUMMARIES_PER_COMMIT))));
    return summaries;
  },
});

/** Runs of older versions that get their summary in one commit; the event loop waits for each. */
const SUMMARIES_PER_COMMIT = 20;

type SummaryRow = Omit<Selectable<Database["results"]>, "body">;

async function withSummaries(
  db: Kysely<Database>,
  rows: readonly SummaryRow[],
): Promise<readonly SummarisedRun[]> {
  const isComplete = rows.every(({ summary }) => summary !== null);
  const complete = isComplete
    ? rows
    : await inTransaction(db, (tx) => Promise.all(rows.map((row) => fill(tx, row))));
  return complete.map(({ preliminary, summary, ...run }) => ({
    ...run,
    preliminary: preliminary === 1,
    summary: JSON.parse(summary as string) as RunSummary,
  }));
}

/** Gives a run that was stored before summaries were kept its own. */
async function fill(db: Kysely<Database>, row: SummaryRow): Promise<SummaryRow> {
  if (row.summary !== null) return row;
  const { experimentId, label, windowTo } = row;
  const { body } = await db
    .selectFrom("results")
    .select("body")
    .where("experimentId", "=", experimentId)
    .where("label", "=", label)
    .where("windowTo", "=", windowTo)
    .executeTakeFirstOrThrow();
  const summary = JSON.stringify(summariseRun(resultsOf({ body: JSON.parse(body) as Json })));
  await db
    .updateTable("results")
    .set({ summary })
    .where("experimentId", "=", experimentId)
    .where("label", "=", label)
    .where("windowTo", "=", windowTo)
    .execute();
  return { ...row, summary };
}

interface NightRange {
  readonly orgId: string;
  readonly experimentId: string;
  readonly windowTo: number;
  readonly limit: number;
}

/** The keys of each night's last run before the cut-off, newest first; only keys, for bodies are large. */
const lastRunOfEachNight = (
  db: Pick<Kysely<Database>, "selectFrom">,
  { orgId, experimentId, windowTo, limit }: NightRange,
) =>
  db
    .selectFrom("results")
    .select("label")
    .select((eb) => eb.fn.max("windowTo").as("cutOff"))
    .where("orgId", "=", orgId)
    .where("experimentId", "=", experimentId)
    .where("preliminary", "=", 0)
    .where("windowTo", "<", windowTo)
    .groupBy("label")
    .orderBy("cutOff", "desc")
    .orderBy("label", "desc")
    .limit(limit);

/**
 * The runs computed last of each experiment: one, or those of one instant, of which the first counts. One look into an index
 * per experiment, however many runs there are.
 */
const latestRuns = (db: Kysely<Database>, orgId: string) =>
  db
    .selectFrom("experiments")
    .innerJoin("results", (join) =>
      join
        .onRef("results.orgId", "=", "experiments.orgId")
        .onRef("results.experimentId", "=", "experiments.id")
        .on("results.computedAt", "=", ({ selectFrom }) =>
          selectFrom("results as runs")
            .select(({ fn }) => fn.max("runs.computedAt").as("last"))
            .whereRef("runs.orgId", "=", "experiments.orgId")
            .whereRef("runs.experimentId", "=", "experiments.id"),
        ),
    )
    .where("experiments.orgId", "=", orgId)
    .orderBy("results.computedAt", "desc")
    .orderBy("results.experimentId", "desc")
    .orderBy("results.windowTo", "desc")
    .orderBy("results.label", "desc");

function firstOfEach<R extends { readonly experimentId: string }>(rows: readonly R[]): readonly R[] {
  return rows.filter(({ experimentId }, index) => rows[index - 1]?.experimentId !== experimentId);
}

const toRun = ({
  preliminary,
  body,
  ...run
}: Omit<Selectable<Database["results"]>, "summary">): StoredRun => ({
  ...run,
  preliminary: preliminary === 1,
  body: JSON.parse(body) as Json,
});
