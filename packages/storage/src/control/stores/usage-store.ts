import type { UsageStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the usage store to a database or a transaction. */
export const usageStore = (db: Kysely<Database>): UsageStore => ({
  async putEvents({ orgId, month, events }) {
    await db
      .insertInto("usage")
      .values({ orgId, month, events })
      .onConflict((conflict) =>
        conflict.columns(["orgId", "month"]).doUpdateSet({ events }).where("usage.events", "<", events),
      )
      .execute();
  },

  addEvaluations: (usage) => addEvaluations(db, usage),

  async get(orgId, month) {
    const usage = await db
      .selectFrom("usage")
      .select(["events", "judgeEvaluations"])
      .where("orgId", "=", orgId)
      .where("month", "=", month)
      .executeTakeFirst();
    return usage ?? { events: 0, judgeEvaluations: 0 };
  },
});

/** Adds evaluations to the month's usage. */
export async function addEvaluations(
  db: Kysely<Database>,
  row: { readonly orgId: string; readonly month: string; readonly judgeEvaluations: number },
): Promise<void> {
  await db
    .insertInto("usage")
    .values({ ...row, events: 0 })
    .onConflict((conflict) =>
      conflict.columns(["orgId", "month"]).doUpdateSet((eb) => ({
        judgeEvaluations: eb("usage.judgeEvaluations", "+", row.judgeEvaluations),
      })),
    )
    .execute();
}
