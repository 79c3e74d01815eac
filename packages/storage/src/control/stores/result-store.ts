import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Json,
  type ResultStore,
  type RowSummary,
  type RunSummary,
  resultsOf,
  type StoredRun,
  type SummarizedRun,
  summarizeRun,
} from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

const KEYS = [
  "results.orgId",
  "results.experimentId",
  "results.label",
  "results.preliminary",
  "results.windowTo",
  "results.computedAt",
] as const;
const RUN_KEY = ["experimentId", "label", "windowTo"] as const;
const WITH_BODY = [...KEYS, "results.body"] as const;

/** Binds the result store to a database or a transaction. */
export const resultStore = (db: Kysely<Database>): ResultStore => ({
  put: ({ preliminary, body, ...keys }, summary) =>
    inTransaction(db, async (tx) => {
      const stored = await tx
        .insertInto("results")
        .values({ ...keys, preliminary: preliminary ? 1 : 0, body: JSON.stringify(body) })
        .onConflict((conflict) => conflict.columns(RUN_KEY).doNothing())
        .returning("label")
        .executeTakeFirst();
      if (stored !== undefined) await putSummary(tx, keys, summary);
      return stored !== undefined;
    }),

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
    const query = latestRuns(db, orgId)
      .leftJoin("runSummaries", (join) =>
        join
          .onRef("runSummaries.experimentId", "=", "results.experimentId")
          .onRef("runSummaries.label", "=", "results.label")
          .onRef("runSummaries.windowTo", "=", "results.windowTo"),
      )
      .select(KEYS)
      .select("runSummaries.summary");
    const runs: SummarizedRun[] = [];
    for (const { preliminary, summary, ...run } of firstOfEach(await query.execute())) {
      const read = summary === null ? await summarize(db, run) : toSummary(summary);
      runs.push({ ...run, preliminary: preliminary === 1, summary: read });
    }
    return runs;
  },
});

type RunKey = Pick<StoredRun, (typeof RUN_KEY)[number]>;

/** Summarizes a run that was stored before summaries existed. */
async function summarize(db: Kysely<Database>, key: RunKey): Promise<RunSummary> {
  const { body } = await db
    .selectFrom("results")
    .select("body")
    .where("experimentId", "=", key.experimentId)
    .where("label", "=", key.label)
    .where("windowTo", "=", key.windowTo)
    .executeTakeFirstOrThrow();
  const summary = summarizeRun(resultsOf({ body: JSON.parse(body) as Json }));
  await putSummary(db, key, summary);
  // The first list after an upgrade does this for every experiment, so other requests get a turn in between.
  await nextTurn();
  return summary;
}

/** A stored summary; older ones have no trade-offs and no margins. */
interface StoredSummary extends Omit<RunSummary, "rows" | "tradeoffs"> {
  readonly rows: readonly (Omit<RowSummary, "nonInferiority"> & Partial<RowSummary>)[];
  readonly tradeoffs?: RunSummary["tradeoffs"];
}

function toSummary(text: string): RunSummary {
  const { rows, tradeoffs, ...summary } = JSON.parse(text) as StoredSummary;
  return {
    ...summary,
    rows: rows.map((row) => ({ ...row, nonInferiority: row.nonInferiority ?? null })),
    tradeoffs: tradeoffs ?? [],
  };
}

async function putSummary(
  db: Kysely<Database>,
  { experimentId, label, windowTo }: RunKey,
  summary: RunSummary,
): Promise<void> {
  await db
    .insertInto("runSummaries")
    .values({ experimentId, label, windowTo, summary: JSON.stringify(summary) })
    .onConflict((conflict) => conflict.columns(RUN_KEY).doNothing())
    .execute();
}

interface NightRange {
  readonly orgId: string;
  readonly experimentId: string;
  readonly windowTo: number;
  readonly limit: number;
}

/** The keys of each night's last run before the cut-off, newest first. Only keys, as bodies are large. */
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
 * The latest runs of each experiment: one, or several computed at the same time, of which the first counts. The query does one index
 * look-up per experiment, however many runs there are, because SQLite keeps the order of a cross join.
 */
const latestRuns = (db: Kysely<Database>, orgId: string) =>
  db
    .selectFrom("experiments")
    .crossJoin("results")
    .where("experiments.orgId", "=", orgId)
    .whereRef("results.orgId", "=", "experiments.orgId")
    .whereRef("results.experimentId", "=", "experiments.id")
    .where("results.computedAt", "=", ({ selectFrom }) =>
      selectFrom("results as runs")
        .select(({ fn }) => fn.max("runs.computedAt").as("last"))
        .whereRef("runs.orgId", "=", "experiments.orgId")
        .whereRef("runs.experimentId", "=", "experiments.id"),
    )
    .orderBy("results.computedAt", "desc")
    .orderBy("results.experimentId", "desc")
    .orderBy("results.windowTo", "desc")
    .orderBy("results.label", "desc");

function firstOfEach<R extends { readonly experimentId: string }>(rows: readonly R[]): readonly R[] {
  return rows.filter(({ experimentId }, index) => rows[index - 1]?.experimentId !== experimentId);
}

const toRun = ({ preliminary, body, ...run }: Selectable<Database["results"]>): StoredRun => ({
  ...run,
  preliminary: preliminary === 1,
  body: JSON.parse(body) as Json,
});
