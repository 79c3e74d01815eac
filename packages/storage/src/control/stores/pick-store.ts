import type { Pick as AnswerPick, PickStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { canBeStored } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

/** Binds the store of picks to a database or a transaction. */
export const pickStore = (db: Kysely<Database>): PickStore => ({
  put: (pick) =>
    inTransaction(db, async (tx) => {
      const { calls, best, ...rest } = pick;
      await tx
        .deleteFrom("picks")
        .where("experimentId", "=", pick.experimentId)
        .where("id", "=", pick.id)
        .execute();
      const rows = calls.map((call) => ({ ...rest, ...call, isBest: Number(call.eventId === best) }));
      await tx.insertInto("picks").values(rows).execute();
    }),

  async list(orgId, experimentId, limit) {
    const newest = db
      .selectFrom("picks")
      .select("id")
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .groupBy(["id", "pickedAt"])
      .orderBy("pickedAt", "desc")
      .orderBy("id")
      .limit(limit);
    const rows = await db
      .selectFrom("picks")
      .selectAll()
      .where("experimentId", "=", experimentId)
      .where("id", "in", (eb) => eb.selectFrom(newest.as("newest")).select("newest.id"))
      .orderBy("pickedAt", "desc")
      .orderBy("id")
      .orderBy("eventId")
      .execute();
    return [...Map.groupBy(rows, ({ id }) => id).values()].map(toPick);
  },

  async eraseUsers(users) {
    let removed = 0;
    for (const { orgId, userId } of users) {
      if (!canBeStored(db, userId)) continue;
      const gone = await db
        .deleteFrom("picks")
        .where("orgId", "=", orgId)
        .where(({ eb, selectFrom }) =>
          eb(
            "id",
            "in",
            selectFrom("picks as own")
              .select("own.id")
              .where("own.orgId", "=", orgId)
              .where("own.userId", "=", userId),
          ),
        )
        .returning("eventId")
        .execute();
      removed += gone.length;
    }
    return removed;
  },
});

type Row = Readonly<Omit<AnswerPick, "calls" | "best"> & AnswerPick["calls"][number]> & {
  readonly isBest: number;
};

function toPick(rows: readonly Row[]): AnswerPick {
  const [{ orgId, experimentId, id, pickedBy, pickedByName, pickedAt }] = rows as readonly [Row];
  return {
    ...{ orgId, experimentId, id, pickedBy, pickedByName, pickedAt },
    calls: rows.map(({ eventId, variant, userId }) => ({ eventId, variant, userId })),
    best: rows.find(({ isBest }) => isBest === 1)?.eventId ?? null,
  };
}
