import type { Json, ResultStore, StoredRun } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "./schema.ts";

/** Binds the result store to a database or a transaction. */
export const resultStore = (db: Kysely<Database>): ResultStore => ({
  async put({ orgId, experimentId, label, windowTo, preliminary, computedAt, body }) {
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
      })
      .onConflict((conflict) => conflict.columns(["experimentId", "label", "windowTo"]).doNothing())
      .returning("label")
      .executeTakeFirst();
    return stored !== undefined;
  },

  async find(orgId, experimentId, label) {
    let query = db
      .selectFrom("results")
      .selectAll()
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
      .selectAll("results")
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

  async listLatest(orgId) {
    const rows = await db
      .with("ranked", (with_) => rankedRuns(with_, orgId))
      .selectFrom("results")
      .innerJoin("ranked", (join) =>
        join
          .onRef("ranked.experimentId", "=", "results.experimentId")
          .onRef("ranked.label", "=", "results.label")
          .onRef("ranked.windowTo", "=", "results.windowTo"),
      )
      .selectAll("results")
      .where("ranked.rank", "=", 1)
      .orderBy("results.computedAt", "desc")
      .orderBy("results.experimentId", "desc")
      .execute();
    return rows.map(toRun);
  },
});

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

/** Ranks the runs of each experiment, the one computed last first; only their keys, for bodies are large. */
const rankedRuns = (db: Pick<Kysely<Database>, "selectFrom">, orgId: string) =>
  db
    .selectFrom("results")
    .select(["experimentId", "label", "windowTo"])
    .select((eb) =>
      eb.fn
        .agg<number>("row_number")
        .over((over) =>
          over
            .partitionBy("experimentId")
            .orderBy("computedAt", "desc")
            .orderBy("windowTo", "desc")
            .orderBy("label", "desc"),
        )
        .as("rank"),
    )
    .where("orgId", "=", orgId);

const toRun = ({ preliminary, body, ...run }: Selectable<Database["results"]>): StoredRun => ({
  ...run,
  preliminary: preliminary === 1,
  body: JSON.parse(body) as Json,
});
