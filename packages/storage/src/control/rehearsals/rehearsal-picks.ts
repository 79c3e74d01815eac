import type { Rehearsal, RehearsalStore } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { updateRehearsal } from "./rehearsal-rows.ts";

type RehearsalPicks = Pick<RehearsalStore, "listJudgedPairs" | "putPick" | "listPicks">;

/** Binds the store of people's picks to a database or a transaction. */
export const rehearsalPicks = (db: Kysely<Database>): RehearsalPicks => ({
  listJudgedPairs: (orgId, id) =>
    db
      .selectFrom("rehearsalRequests")
      .select(["place", "arm", "repeat"])
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .where("kind", "=", "judgement")
      .where("state", "=", "done")
      .where("attempts", ">", 0)
      .groupBy(["place", "arm", "repeat"])
      .having(sql`count(*)`, "=", 2)
      .execute(),

  putPick: (key, pick) =>
    inTransaction(db, async (tx) => {
      const row = await lockForChange(tx, key);
      if (row === undefined) return;
      const of = { rehearsalId: key.id, place: pick.place, arm: pick.arm, repeat: pick.repeat };
      await tx
        .deleteFrom("rehearsalPicks")
        .where((eb) => eb.and(of))
        .execute();
      // An input may have been erased since it was shown.
      const input = await tx
        .selectFrom("rehearsalInputs")
        .select("place")
        .where("rehearsalId", "=", key.id)
        .where("place", "=", pick.place)
        .executeTakeFirst();
      if (input === undefined) return;
      await tx
        .insertInto("rehearsalPicks")
        .values({ ...of, orgId: key.orgId, ...pick })
        .execute();
    }),

  async listPicks(orgId, id) {
    return db
      .selectFrom("rehearsalPicks")
      .select(["place", "arm", "repeat", "preference", "pickedBy", "pickedByName", "pickedAt"])
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .orderBy("place")
      .orderBy("arm")
      .orderBy("repeat")
      .execute();
  },
});

/** Locks a rehearsal and sets a later change time, so that its report is computed again. */
export async function lockForChange(db: Kysely<Database>, key: Pick<Rehearsal, "orgId" | "id">) {
  const row = await updateRehearsal(db, key, { id: key.id });
  return row && updateRehearsal(db, key, { changedAt: row.changedAt + 1 });
}
