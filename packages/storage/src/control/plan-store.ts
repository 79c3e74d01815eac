import { FREE_PLAN, type PlanState, type PlanStore } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "./schema.ts";

const COLUMNS = ["overridePlan", "plan", "nextPlan", "nextAt"] as const;

/** Binds the plan store to a database or a transaction. */
export const planStore = (db: Kysely<Database>): PlanStore => ({
  async get(orgId) {
    const row = await db.selectFrom("orgPlans").select(COLUMNS).where("orgId", "=", orgId).executeTakeFirst();
    return row ? toState(row) : FREE_PLAN;
  },

  async list() {
    const rows = await db
      .selectFrom("orgs")
      .leftJoin("orgPlans", "orgPlans.orgId", "orgs.id")
      .select("orgs.id as orgId")
      .select(COLUMNS)
      .orderBy("orgs.createdAt", "desc")
      .orderBy("orgs.id", "desc")
      .execute();
    return rows.map(({ orgId, plan, ...row }) => ({
      orgId,
      state: plan === null ? FREE_PLAN : toState({ ...row, plan }),
    }));
  },

  async putOverride(orgId, overridePlan) {
    await db
      .insertInto("orgPlans")
      .values({ orgId, overridePlan })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet({ overridePlan }))
      .execute();
  },

  async putSubscription(orgId, { plan, next }) {
    const subscription = { plan, nextPlan: next?.plan ?? null, nextAt: next?.at ?? null };
    await db
      .insertInto("orgPlans")
      .values({ orgId, ...subscription })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet(subscription))
      .execute();
  },
});

type PlanRow = Pick<Selectable<Database["orgPlans"]>, (typeof COLUMNS)[number]>;

const toState = ({ overridePlan, plan, nextPlan, nextAt }: PlanRow): PlanState => ({
  override: overridePlan,
  subscription: {
    plan,
    next: nextPlan === null || nextAt === null ? null : { plan: nextPlan, at: nextAt },
  },
});
