import { setImmediate as nextTurn } from "node:timers/promises";
import type { DrawnCall, JudgementStore, JudgingPlan } from "@assay/domain";
import type { Insertable, Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries, seriesOf } from "./series-rows.ts";

type JudgingPlanStore = Pick<JudgementStore, "findJudgeVersion" | "listPlannedDays" | "putPlan">;

/** Draws per insert: a few milliseconds of the event loop. */
const DRAWS_PER_INSERT = 100;

/** Binds the store of draws to a database or a transaction; `newId` makes the ids that order rows of one instant. */
export const judgingPlanStore = (db: Kysely<Database>, newId: () => string): JudgingPlanStore => ({
  async findJudgeVersion(series) {
    const first = await db
      .selectFrom("judgingPlans")
      .select("judgeVersion")
      .where((eb) => eb.and(inSeries("judgingPlans", series)))
      .orderBy("plannedAt")
      .orderBy("day")
      .limit(1)
      .executeTakeFirst();
    return first?.judgeVersion ?? null;
  },

  async listPlannedDays(series) {
    const plans = await db
      .selectFrom("judgingPlans")
      .select("day")
      .where((eb) => eb.and(inSeries("judgingPlans", series)))
      .orderBy("day")
      .execute();
    return plans.map(({ day }) => day);
  },

  putPlan: (plan, drawn) =>
    inTransaction(db, async (tx) => {
      if (!(await insertPlan(tx, plan, drawn))) return false;
      const rows = drawn.flatMap((call) => toRows(plan, call, newId));
      for (let start = 0; start < rows.length; start += DRAWS_PER_INSERT) {
        await tx
          .insertInto("judgements")
          .values(rows.slice(start, start + DRAWS_PER_INSERT))
          .execute();
        await nextTurn();
      }
      await dialectOf(tx).notifyChange(tx, { kind: "judging", orgId: plan.orgId });
      return true;
    }),
});

async function insertPlan(
  db: Kysely<Database>,
  { day, judgeVersion, calls, plannedAt, ...series }: JudgingPlan,
  drawn: readonly DrawnCall[],
): Promise<boolean> {
  const byArm = Map.groupBy(drawn, ({ arm }) => arm);
  const drawnByArm = Object.fromEntries([...byArm].map(([arm, ofArm]) => [arm, ofArm.length]));
  const stored = await db
    .insertInto("judgingPlans")
    .values({
      ...seriesOf(series),
      ...{ day, judgeVersion, plannedAt },
      calls: JSON.stringify(calls),
      drawn: JSON.stringify(drawnByArm),
    })
    .onConflict((conflict) =>
      conflict.columns(["experimentId", "metric", "metricVersion", "day"]).doNothing(),
    )
    .returning("day")
    .executeTakeFirst();
  return stored !== undefined;
}

function toRows(
  { day, judgeVersion, plannedAt, ...series }: JudgingPlan,
  { order, isRepeated, hasFailed, eventId, userId, arm, occurredAt, probability }: DrawnCall,
  newId: () => string,
): readonly Insertable<Database["judgements"]>[] {
  return (isRepeated ? [0, 1] : [0]).map((isRepeat) => ({
    ...seriesOf(series),
    ...{ id: newId(), eventId, isRepeat, judgeVersion, day, userId, arm, occurredAt, probability },
    ...{ drawOrder: order, hasFailed: Number(hasFailed), drawnAt: plannedAt, changedAt: plannedAt },
  }));
}
