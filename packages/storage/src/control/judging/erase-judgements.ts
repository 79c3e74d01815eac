import type { JudgementStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { canBeStored, dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries, seriesKey, seriesOf } from "./series-rows.ts";

type Users = Parameters<JudgementStore["eraseUsers"]>[0];

/**
 * Removes users' judgements and labels, and subtracts them from the plans' counts of drawn calls.
 */
export const eraseUsers = (db: Kysely<Database>, users: Users): Promise<number> =>
  inTransaction(db, async (tx) => {
    await dialectOf(tx).lockTable(tx, "judgingPlans");
    let removed = 0;
    for (const user of users) {
      if (!canBeStored(tx, user.userId)) continue;
      const gone = await removeJudgements(tx, user);
      await countOut(tx, gone);
      removed += gone.length;
    }
    for (const orgId of new Set(users.map((user) => user.orgId))) await removeLabels(tx, orgId);
    return removed;
  });

function removeJudgements(db: Kysely<Database>, { orgId, userId }: Users[number]) {
  return db
    .deleteFrom("judgements")
    .where("orgId", "=", orgId)
    .where("userId", "=", userId)
    .returning(["orgId", "experimentId", "metric", "metricVersion", "day", "arm", "isRepeat"])
    .execute();
}

type Removed = Awaited<ReturnType<typeof removeJudgements>>[number];

/** Summaries count a drawn call as scored unless it is open, so an erased call must also leave the count of drawn calls. */
async function countOut(db: Kysely<Database>, removed: readonly Removed[]): Promise<void> {
  const firsts = removed.filter(({ isRepeat }) => isRepeat === 0);
  const byPlan = Map.groupBy(firsts, (row) => `${seriesKey(row)} ${row.day}`);
  for (const ofPlan of byPlan.values()) {
    const [first] = ofPlan as [Removed];
    const isPlan = { ...inSeries("judgingPlans", seriesOf(first)), "judgingPlans.day": first.day };
    const { drawn } = await db
      .selectFrom("judgingPlans")
      .select("drawn")
      .where((eb) => eb.and(isPlan))
      .executeTakeFirstOrThrow();
    const left = JSON.parse(drawn) as Record<string, number>;
    for (const { arm } of ofPlan) left[arm] = (left[arm] ?? 0) - 1;
    await db
      .updateTable("judgingPlans")
      .set({ drawn: JSON.stringify(left) })
      .where((eb) => eb.and(isPlan))
      .execute();
  }
}

/** Removes labels without a judgement: they belong to an erased call. A person may have written one during the erasure. */
async function removeLabels(db: Kysely<Database>, orgId: string): Promise<void> {
  await db
    .deleteFrom("labels")
    .where("labels.orgId", "=", orgId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("judgements")
            .select("judgements.id")
            .whereRef("judgements.experimentId", "=", "labels.experimentId")
            .whereRef("judgements.metric", "=", "labels.metric")
            .whereRef("judgements.metricVersion", "=", "labels.metricVersion")
            .whereRef("judgements.eventId", "=", "labels.eventId")
            .where("judgements.isRepeat", "=", 0),
        ),
      ),
    )
    .execute();
}
