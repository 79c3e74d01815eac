import type { PipelineRunStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

const COLUMNS = [
  "orgId",
  "experimentId",
  "day",
  "outcome",
  "windowTo",
  "startedAt",
  "finishedAt",
  "detail",
] as const;

/** Binds the pipeline-run store to a database or a transaction. */
export const pipelineRunStore = (db: Kysely<Database>): PipelineRunStore => ({
  async claim({ orgId, experimentId, day, windowTo, now, leaseUntil, standsSince }) {
    const taken = {
      outcome: "running" as const,
      windowTo,
      startedAt: now,
      finishedAt: null,
      leaseUntil,
      detail: null,
    };
    const row = await db
      .insertInto("pipelineRuns")
      .values({ orgId, experimentId, day, ...taken })
      .onConflict((conflict) =>
        conflict
          .columns(["experimentId", "day"])
          .doUpdateSet(taken)
          .where((eb) =>
            eb.or([
              eb("pipelineRuns.outcome", "=", "failed"),
              eb.and([
                eb("pipelineRuns.outcome", "=", "collecting"),
                ...(standsSince === undefined ? [] : [eb("pipelineRuns.finishedAt", "<", standsSince)]),
              ]),
              eb.and([eb("pipelineRuns.outcome", "=", "running"), eb("pipelineRuns.leaseUntil", "<=", now)]),
              eb.and([
                eb("pipelineRuns.outcome", "in", ["computed", "withheld"]),
                eb("pipelineRuns.windowTo", "<", windowTo),
              ]),
            ]),
          ),
      )
      .returning("day")
      .executeTakeFirst();
    return row !== undefined;
  },

  async renew({ experimentId, day, startedAt, leaseUntil }) {
    const renewed = await db
      .updateTable("pipelineRuns")
      .set({ leaseUntil })
      .where("experimentId", "=", experimentId)
      .where("day", "=", day)
      .where("startedAt", "=", startedAt)
      .where("outcome", "=", "running")
      .executeTakeFirst();
    return renewed.numUpdatedRows > 0n;
  },

  async finish({ experimentId, day, startedAt, outcome, now, detail }) {
    await db
      .updateTable("pipelineRuns")
      .set({ outcome, finishedAt: now, detail })
      .where("experimentId", "=", experimentId)
      .where("day", "=", day)
      .where("startedAt", "=", startedAt)
      .execute();
  },

  async find(experimentId, day) {
    const run = await db
      .selectFrom("pipelineRuns")
      .select(COLUMNS)
      .where("experimentId", "=", experimentId)
      .where("day", "=", day)
      .executeTakeFirst();
    return run ?? null;
  },

  async list(orgId, experimentId, limit) {
    return await db
      .selectFrom("pipelineRuns")
      .select(COLUMNS)
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .orderBy("day", "desc")
      .limit(limit)
      .execute();
  },

  async listLatest(orgId) {
    return await db
      .selectFrom("experiments")
      .innerJoin("pipelineRuns", "pipelineRuns.experimentId", "experiments.id")
      .select(COLUMNS.map((column) => `pipelineRuns.${column}` as const))
      .where("experiments.orgId", "=", orgId)
      // One primary-key look-up per experiment, however many nights there are.
      .where("pipelineRuns.day", "=", ({ selectFrom }) =>
        selectFrom("pipelineRuns as days")
          .select(({ fn }) => fn.max("days.day").as("day"))
          .whereRef("days.experimentId", "=", "experiments.id"),
      )
      .execute();
  },
});
