import { FREE_PLAN, type Plan, type PlanState, type PlanStore } from "@assay/domain";
import type { Insertable, Kysely, Selectable } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

/** The columns that `toPlanState` reads. */
export const PLAN_COLUMNS = ["overridePlan", "plan", "nextPlan", "nextAt"] as const;

/** Binds the plan store to a database or a transaction. */
export const planStore = (db: Kysely<Database>): PlanStore => ({
  async get(orgId) {
    const row = await db
      .selectFrom("orgPlans")
      .select(PLAN_COLUMNS)
      .where("orgId", "=", orgId)
      .executeTakeFirst();
    return row ? toPlanState(row) : FREE_PLAN;
  },

  async list() {
    const rows = await db
      .selectFrom("orgs")
      .leftJoin("orgPlans", "orgPlans.orgId", "orgs.id")
      .select("orgs.id as orgId")
      .select(PLAN_COLUMNS)
      .orderBy("orgs.createdAt", "desc")
      .orderBy("orgs.id", "desc")
      .execute();
    return rows.map(({ orgId, ...row }) => ({ orgId, state: toPlanState(row) }));
  },

  putOverride: (orgId, overridePlan) => putPlan(db, orgId, { overridePlan }),

  putSubscription: (orgId, { plan, next }) =>
    putPlan(db, orgId, { plan, nextPlan: next?.plan ?? null, nextAt: next?.at ?? null }),
});

function putPlan(
  db: Kysely<Database>,
  orgId: string,
  columns: Omit<Insertable<Database["orgPlans"]>, "orgId"> | { readonly overridePlan: Plan | null },
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx
      .insertInto("orgPlans")
      .values({ orgId, ...columns })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet(columns))
      .execute();
    await dialectOf(tx).notifyChange(tx, { kind: "plan", orgId });
  });
}

type PlanColumns = Pick<Selectable<Database["orgPlans"]>, (typeof PLAN_COLUMNS)[number]>;

/** Converts the columns of `org_plans` to the org's plan state. They are null for an org without a row. */
export function toPlanState(
  row: { readonly [Column in keyof PlanColumns]: PlanColumns[Column] | null },
): PlanState {
  const { overridePlan, plan, nextPlan, nextAt } = row;
  if (plan === null) return FREE_PLAN;
  const next = nextPlan === null || nextAt === null ? null : { plan: nextPlan, at: nextAt };
  return { override: overridePlan, subscription: { plan, next } };
}
