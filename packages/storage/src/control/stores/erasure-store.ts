import type { Erasure, ErasureStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of open erasures to a database or a transaction. */
export const erasureStore = (db: Kysely<Database>): ErasureStore => ({
  async put(erasure) {
    await db
      .insertInto("erasures")
      .values(toRow(erasure))
      .onConflict((conflict) =>
        conflict
          .columns(["orgId", "userId"])
          .doUpdateSet(({ ref }) => ({ requestedAt: ref("excluded.requestedAt") }))
          .whereRef("erasures.requestedAt", "<", "excluded.requestedAt"),
      )
      .execute();
  },

  async list() {
    const rows = await db
      .selectFrom("erasures")
      .selectAll()
      .orderBy("requestedAt")
      .orderBy("orgId")
      .orderBy("userId")
      .execute();
    return rows.map((row) => ({ ...row, userId: JSON.parse(row.userId) as string }));
  },

  async remove(erasure) {
    const { orgId, userId, requestedAt } = toRow(erasure);
    const { numDeletedRows } = await db
      .deleteFrom("erasures")
      .where("orgId", "=", orgId)
      .where("userId", "=", userId)
      .where("requestedAt", "=", requestedAt)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },
});

/** Encodes an id as JSON, because it may contain NUL, which PostgreSQL's text cannot store. */
const toRow = ({ orgId, userId, requestedAt }: Erasure) => ({
  orgId,
  userId: JSON.stringify(userId),
  requestedAt,
});
