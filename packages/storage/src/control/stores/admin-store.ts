import type { AdminStore, OrgSummary, PlatformTotals, Usage, UsageMonth } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";
import { PLAN_COLUMNS, toPlanState } from "./plan-store.ts";

const NEWEST_FIRST = {
  at: "orgs.createdAt",
  id: "orgs.id",
  positionOf: ({ createdAt, id }: SummaryRow) => ({ at: createdAt, id }),
};

/** Binds the platform owner's queries to a database or a transaction. */
export const adminStore = (db: Kysely<Database>): AdminStore => ({
  getTotals: async (month) => ({
    orgs: await countExisting(db, "orgs"),
    users: await countExisting(db, "users"),
    experiments: await countExperiments(db),
    usage: await sumUsage(db, month),
  }),

  listOrgs: async (month, page) =>
    mapPage(await readPage(summaries(db, month), NEWEST_FIRST, page), toSummary),

  async findOrg(orgId, month) {
    const row = await summaries(db, month).where("orgs.id", "=", orgId).executeTakeFirst();
    return row ? toSummary(row) : null;
  },

  async findLastPipelineDay() {
    const rows = await db
      .selectFrom("pipelineRuns")
      .select(({ fn }) => ["day", "outcome", COUNT, fn.max("finishedAt").as("finishedAt")])
      .where("day", "=", ({ selectFrom }) =>
        selectFrom("pipelineRuns as every").select(({ fn }) => fn.max("every.day").as("last")),
      )
      .groupBy(["day", "outcome"])
      .execute();
    const [first] = rows;
    if (!first) return null;
    const finished = rows.flatMap(({ finishedAt }) => (finishedAt === null ? [] : [finishedAt]));
    return {
      day: first.day,
      finishedAt: finished.length === 0 ? null : Math.max(...finished),
      outcomes: Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count])),
    };
  },

  listFailedRuns: (since, limit) =>
    db
      .selectFrom("pipelineRuns as run")
      .innerJoin("experiments", "experiments.id", "run.experimentId")
      .select(["run.orgId", "run.experimentId", "experiments.name as experimentName"])
      .select(["run.day", "run.startedAt", "run.detail"])
      .where("run.outcome", "=", "failed")
      .where("run.day", ">=", since)
      .orderBy("run.startedAt", "desc")
      .orderBy("run.experimentId", "desc")
      .orderBy("run.day", "desc")
      .limit(limit)
      .execute(),
});

const COUNT = sql<number>`count(*)`.as("count");

async function countExisting(db: Kysely<Database>, table: "orgs" | "users"): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(COUNT)
    .where("isDeleted", "=", 0)
    .executeTakeFirstOrThrow();
  return count;
}

async function countExperiments(db: Kysely<Database>): Promise<PlatformTotals["experiments"]> {
  const rows = await db
    .selectFrom("experiments")
    .innerJoin("orgs", "orgs.id", "experiments.orgId")
    .select(["status", COUNT])
    .where("orgs.isDeleted", "=", 0)
    .groupBy("status")
    .execute();
  return {
    draft: 0,
    running: 0,
    stopped: 0,
    ...Object.fromEntries(rows.map(({ status, count }) => [status, count])),
  };
}

/** Sums cast to int8, because PostgreSQL sums to `numeric`, which the driver returns as text. */
const sumUsage = (db: Kysely<Database>, month: UsageMonth): Promise<Usage> =>
  db
    .selectFrom("usage")
    .innerJoin("orgs", "orgs.id", "usage.orgId")
    .select([
      sql<number>`cast(coalesce(sum(events), 0) as bigint)`.as("events"),
      sql<number>`cast(coalesce(sum(judge_evaluations), 0) as bigint)`.as("judgeEvaluations"),
    ])
    .where("month", "=", month)
    .where("orgs.isDeleted", "=", 0)
    .executeTakeFirstOrThrow();

/** Existing orgs with their figures; the subqueries run only for the rows of the page. */
const summaries = (db: Kysely<Database>, month: UsageMonth) =>
  db
    .selectFrom("orgs")
    .leftJoin("orgPlans", "orgPlans.orgId", "orgs.id")
    .leftJoin("usage", (join) => join.onRef("usage.orgId", "=", "orgs.id").on("usage.month", "=", month))
    .select(["orgs.id", "orgs.externalId", "orgs.name", "orgs.configVersion", "orgs.createdAt"])
    .select(PLAN_COLUMNS)
    .select(["events", "judgeEvaluations"])
    .select((eb) => [
      eb
        .selectFrom("memberships")
        .innerJoin("users", "users.id", "memberships.userId")
        .select(COUNT)
        .whereRef("memberships.orgId", "=", "orgs.id")
        .where("memberships.isRemoved", "=", 0)
        .where("users.isDeleted", "=", 0)
        .as("members"),
      eb
        .selectFrom("experiments")
        .select(COUNT)
        .whereRef("experiments.orgId", "=", "orgs.id")
        .as("experiments"),
    ])
    .where("orgs.isDeleted", "=", 0);

type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>["execute"]>>[number];

function toSummary(row: SummaryRow): OrgSummary {
  const { id, externalId, name, configVersion, createdAt } = row;
  return {
    org: { id, externalId, name, configVersion, createdAt },
    plan: toPlanState(row),
    members: row.members ?? 0,
    experiments: row.experiments ?? 0,
    usage: { events: row.events ?? 0, judgeEvaluations: row.judgeEvaluations ?? 0 },
  };
}
