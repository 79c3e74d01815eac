import type { EndedSessionStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of ended sessions to a database or a transaction. */
export const endedSessionStore = (db: Kysely<Database>): EndedSessionStore => ({
  async end({ id, expiresAt }, now) {
    await db.deleteFrom("endedSessions").where("expiresAt", "<=", now).execute();
    await db
      .insertInto("endedSessions")
      .values({ id, expiresAt })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  },

  async isEnded(sessionId) {
    const ended = await db
      .selectFrom("endedSessions")
      .select("id")
      .where("id", "=", sessionId)
      .executeTakeFirst();
    return ended !== undefined;
  },
});
