import type { SessionStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of sessions to a database or a transaction. */
export const sessionStore = (db: Kysely<Database>): SessionStore => ({
  async add(session) {
    await db.deleteFrom("sessions").where("endsAt", "<=", session.startedAt).execute();
    await db
      .insertInto("sessions")
      .values(session)
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  },

  async find(id) {
    const session = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
    return session ?? null;
  },

  list: ({ orgId, userId }, now) =>
    db
      .selectFrom("sessions")
      .selectAll()
      .where("userId", "=", userId)
      .where("orgId", orgId === null ? "is" : "=", orgId)
      .where("endsAt", ">", now)
      .orderBy("lastUsedAt", "desc")
      .orderBy("id")
      .execute(),

  async touch(id, now) {
    await db.updateTable("sessions").set({ lastUsedAt: now }).where("id", "=", id).execute();
  },

  async claimQuestion(id, askedAt, now) {
    const claimed = await db
      .updateTable("sessions")
      .set({ askedAt: now })
      .where("id", "=", id)
      .where("askedAt", "=", askedAt)
      .returning("id")
      .executeTakeFirst();
    return claimed !== undefined;
  },

  async confirm(id, sealedRefreshToken, now) {
    await db
      .updateTable("sessions")
      .set({ sealedRefreshToken, confirmedAt: now })
      .where("id", "=", id)
      .execute();
  },

  async recordVerification(id, now) {
    await db.updateTable("sessions").set({ verifiedAt: now }).where("id", "=", id).execute();
  },

  async remove(id) {
    await db.deleteFrom("sessions").where("id", "=", id).execute();
  },
});
