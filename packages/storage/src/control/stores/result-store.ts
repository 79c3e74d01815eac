import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Day,
  type Json,
  type ResultStore,
  type RowSummary,
  type RunSummary,
  resultsOf,
  type StoredRun,
  type SummarizedRun,
  summarizeRun,
} from "@assay/domain";
import { expressionBuilder, type Kysely, sql } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

const RUN_KEY = ["experimentId", "label", "windowTo"] as const;

const { and, eb, fn, ref, selectFrom } = expressionBuilder<
  Database,
  "results" | "runRevisions" | "runSummaries"
>();

/** Joins the revisions of the run. */
const OF_RUN = and(RUN_KEY.map((column) => eb(`runRevisions.${column}`, "=", ref(`results.${column}`))));
const LAST_REVISION = selectFrom("runRevisions as revisions")
  .select((later) => later.fn.max("revisions.revision").as("last"))
  .where((later) =>
    later.and(RUN_KEY.map((column) => later(`revisions.${column}`, "=", later.ref(`results.${column}`)))),
  );
/** Joins the newest revision. It has no row when a run has only its first revision, which is in `results`. */
const NEWEST = and([OF_RUN, eb("runRevisions.revision", "=", LAST_REVISION)]);

const KEYS = [
  "results.orgId",
  "results.experimentId",
  "results.label",
  "results.preliminary",
  "results.windowTo",
  fn.coalesce("runRevisions.computedAt", "results.computedAt").as("computedAt"),
  fn.coalesce("runRevisions.revision", sql.lit(1)).as("revision"),
] as const;
const WITH_BODY = [
  ...KEYS,
  fn.coalesce(LAST_REVISION, sql.lit(1)).as("revisions"),
  fn.coalesce("runRevisions.body", "results.body").as("body"),
] as const;
const SUMMARY_OF_RUN = and(
  RUN_KEY.map((column) => eb(`runSummaries.${column}`, "=", ref(`results.${column}`))),
);
/** The newest revision's summary. Null when the version that stored it wrote none. */
const SUMMARY = fn
  .coalesce("runRevisions.summary", "runSummaries.summary")
  .$castTo<string | null>()
  .as("summary");
const HAS_ROWS = fn.coalesce("runRevisions.hasRows", "runSummaries.hasRows").as("hasRows");
/** Of the runs whose windows end at the same time, a manual run comes first. */
const BY_WINDOW = ["results.windowTo", "results.preliminary", "results.label"] as const;

/** Binds the result store to a database or a transaction. */
export const resultStore = (db: Kysely<Database>): ResultStore => ({
  put: ({ orgId, experimentId, label, preliminary, windowTo, computedAt, body }, summary) =>
    inTransaction(db, async (tx) => {
      const key = { experimentId, label, windowTo };
      const stored = await tx
        .insertInto("results")
        .values({ ...key, orgId, preliminary: preliminary ? 1 : 0, computedAt, body: JSON.stringify(body) })
        .onConflict((conflict) => conflict.columns(RUN_KEY).doNothing())
        .returning("label")
        .executeTakeFirst();
      if (stored !== undefined) await putSummary(tx, key, summary);
      return stored !== undefined;
    }),

  putRevision: ({ experimentId, label, windowTo, computedAt, body }, summary) =>
    inTransaction(db, async (tx) => {
      await dialectOf(tx).lockTable(tx, "runRevisions");
      const { last } = await tx
        .selectFrom("runRevisions")
        .select((eb) => eb.fn.max("revision").as("last"))
        .where("experimentId", "=", experimentId)
        .where("label", "=", label)
        .where("windowTo", "=", windowTo)
        .executeTakeFirstOrThrow();
      const revision = (last ?? 1) + 1;
      const key = { experimentId, label, windowTo, revision };
      await tx
        .insertInto("runRevisions")
        .values({ ...key, computedAt, ...summaryColumns(summary), body: JSON.stringify(body) })
        .execute();
      return revision;
    }),

  async find(orgId, experimentId, { label, revision } = {}) {
    const chosen =
      revision === undefined ? NEWEST : and([OF_RUN, eb("runRevisions.revision", "=", revision)]);
    let query = db
      .selectFrom("results")
      .leftJoin("runRevisions", (join) => join.on(chosen))
      .select(WITH_BODY)
      .where("orgId", "=", orgId)
      .where("results.experimentId", "=", experimentId);
    if (label !== undefined) query = query.where("results.label", "=", label);
    for (const column of BY_WINDOW) query = query.orderBy(column, "desc");
    const run = await query.limit(1).executeTakeFirst();
    return run === undefined || (revision !== undefined && run.revision !== revision) ? null : toRun(run);
  },

  async listNightlyBefore(orgId, experimentId, range) {
    const rows = await db
      .with("nights", (with_) => lastRunOfEachNight(with_, { orgId, experimentId, ...range }))
      .selectFrom("nights")
      .innerJoin("results", (join) =>
        join
          .on("results.experimentId", "=", experimentId)
          .onRef("results.label", "=", "nights.label")
          .onRef("results.windowTo", "=", "nights.cutOff"),
      )
      .leftJoin("runRevisions", (join) => join.on(NEWEST))
      .select(WITH_BODY)
      .orderBy("results.windowTo")
      .orderBy("results.label")
      .execute();
    return rows.map(toRun);
  },

  async listLabels(orgId, experimentId) {
    return (await labelsByExperiment(db, orgId, experimentId)).get(experimentId) ?? [];
  },

  listAllLabels: (orgId) => labelsByExperiment(db, orgId),

  async listLatest(orgId) {
    return firstOfEach(await latestRuns(db, orgId).select(WITH_BODY).execute()).map(toRun);
  },

  async listLatestSummaries(orgId) {
    const query = latestRuns(db, orgId)
      .leftJoin("runSummaries", (join) => join.on(SUMMARY_OF_RUN))
      .select(KEYS)
      .select(SUMMARY);
    const runs: SummarizedRun[] = [];
    for (const { preliminary, summary, ...run } of firstOfEach(await query.execute())) {
      const read = summary === null ? await summarize(db, run) : toSummary(summary);
      runs.push({ ...run, preliminary: preliminary === 1, summary: read });
    }
    return runs;
  },
});

type RunKey = Pick<StoredRun, (typeof RUN_KEY)[number]>;

/** The labels of runs that have rows, newest window first, for one experiment or for each experiment of the org. */
async function labelsByExperiment(
  db: Kysely<Database>,
  orgId: string,
  experimentId?: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  let query = db
    .selectFrom("results")
    .leftJoin("runRevisions", (join) => join.on(NEWEST))
    .leftJoin("runSummaries", (join) => join.on(SUMMARY_OF_RUN))
    .select(["results.experimentId", "results.label", "results.windowTo", HAS_ROWS])
    .where("results.orgId", "=", orgId);
  if (experimentId !== undefined) query = query.where("results.experimentId", "=", experimentId);
  for (const column of BY_WINDOW) query = query.orderBy(column, "desc");
  const byExperiment = Map.groupBy(await query.execute(), (run) => run.experimentId);
  const labels = new Map<string, readonly string[]>();
  for (const [id, runs] of byExperiment) {
    const seen = new Set<string>();
    const latest = runs.filter(({ label }) => !seen.has(label) && seen.add(label));
    const listed: string[] = [];
    for (const run of latest) if (await hasRows(db, run)) listed.push(run.label);
    if (listed.length > 0) labels.set(id, listed);
  }
  return labels;
}

async function hasRows(
  db: Kysely<Database>,
  { hasRows, ...key }: RunKey & { readonly hasRows: number | null },
): Promise<boolean> {
  return hasRows === null ? (await summarize(db, key)).rows.length > 0 : hasRows === 1;
}

/** Summarizes a run that was stored without a summary, or without knowing whether it has rows. */
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
  // After an upgrade, the first list does this for every experiment, so yield to other requests in between.
  await nextTurn();
  return summary;
}

/** A stored summary. Older ones have no trade-offs, margins or decision. */
interface StoredSummary extends Omit<RunSummary, "rows" | "tradeoffs" | "decision"> {
  readonly rows: readonly (Omit<RowSummary, "nonInferiority"> & Partial<RowSummary>)[];
  readonly tradeoffs?: RunSummary["tradeoffs"];
  readonly decision?: RunSummary["decision"];
}

function toSummary(text: string): RunSummary {
  const { rows, tradeoffs, decision, ...summary } = JSON.parse(text) as StoredSummary;
  return {
    ...summary,
    rows: rows.map((row) => ({ ...row, nonInferiority: row.nonInferiority ?? null })),
    tradeoffs: tradeoffs ?? [],
    decision: decision ?? null,
  };
}

async function putSummary(
  db: Kysely<Database>,
  { experimentId, label, windowTo }: RunKey,
  summary: RunSummary,
): Promise<void> {
  await db
    .insertInto("runSummaries")
    .values({ experimentId, label, windowTo, ...summaryColumns(summary) })
    .onConflict((conflict) => conflict.columns(RUN_KEY).doUpdateSet(summaryColumns(summary)))
    .execute();
}

const summaryColumns = (summary: RunSummary) => ({
  summary: JSON.stringify(summary),
  hasRows: summary.rows.length > 0 ? 1 : 0,
});

interface NightRange {
  readonly orgId: string;
  readonly experimentId: string;
  readonly day?: Day;
  readonly limit: number;
}

/** The key of each night's last run before the day, newest first. Reads only keys, because bodies are large. */
function lastRunOfEachNight(
  db: Pick<Kysely<Database>, "selectFrom">,
  { orgId, experimentId, day, limit }: NightRange,
) {
  const query = db
    .selectFrom("results")
    .select("label")
    .select((eb) => eb.fn.max("windowTo").as("cutOff"))
    .where("orgId", "=", orgId)
    .where("experimentId", "=", experimentId)
    .where("preliminary", "=", 0)
    .groupBy("label")
    .orderBy("cutOff", "desc")
    .orderBy("label", "desc")
    .limit(limit);
  return day === undefined ? query : query.where("label", "<", day);
}

/**
 * The runs of each experiment's default view, best first, because several runs may have windows that end together. It needs one index
 * look-up per experiment, however many runs there are, because SQLite keeps the order of a cross join.
 */
const latestRuns = (db: Kysely<Database>, orgId: string) =>
  db
    .selectFrom("experiments")
    .crossJoin("results")
    .leftJoin("runRevisions", (join) => join.on(NEWEST))
    .where("experiments.orgId", "=", orgId)
    .whereRef("results.orgId", "=", "experiments.orgId")
    .whereRef("results.experimentId", "=", "experiments.id")
    .where("results.windowTo", "=", ({ selectFrom }) =>
      selectFrom("results as runs")
        .select(({ fn }) => fn.max("runs.windowTo").as("last"))
        .whereRef("runs.orgId", "=", "experiments.orgId")
        .whereRef("runs.experimentId", "=", "experiments.id"),
    )
    .orderBy("results.experimentId", "desc")
    .orderBy("results.preliminary", "desc")
    .orderBy("results.label", "desc");

function firstOfEach<R extends { readonly experimentId: string }>(rows: readonly R[]): readonly R[] {
  return rows.filter(({ experimentId }, index) => rows[index - 1]?.experimentId !== experimentId);
}

type RunRow = Omit<StoredRun, "preliminary" | "body"> & {
  readonly preliminary: number;
  readonly body: string;
};

const toRun = ({ preliminary, body, ...run }: RunRow): StoredRun => ({
  ...run,
  preliminary: preliminary === 1,
  body: JSON.parse(body) as Json,
});
