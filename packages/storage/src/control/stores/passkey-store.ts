import type { Passkey, PasskeyChallengeStore, PasskeyOwner, PasskeyStore } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of passkeys to a database or a transaction. */
export const passkeyStore = (db: Kysely<Database>): PasskeyStore => ({
  async add({ transports, isBackedUp, ...passkey }) {
    const added = await db
      .insertInto("passkeys")
      .values({ ...passkey, transports: JSON.stringify(transports), isBackedUp: isBackedUp ? 1 : 0 })
      .onConflict((conflict) => conflict.columns(["orgId", "userId", "id"]).doNothing())
      .returning("id")
      .executeTakeFirst();
    return added !== undefined;
  },

  async list({ orgId, userId }) {
    const rows = await db
      .selectFrom("passkeys")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("userId", "=", userId)
      .orderBy("createdAt")
      .orderBy("id")
      .execute();
    return rows.map(toPasskey);
  },

  async recordUse({ orgId, userId, id, counter }, use) {
    const recorded = await db
      .updateTable("passkeys")
      .set({ counter: use.counter, isBackedUp: use.isBackedUp ? 1 : 0, lastUsedAt: use.at })
      .where("orgId", "=", orgId)
      .where("userId", "=", userId)
      .where("id", "=", id)
      .where("counter", "=", counter)
      .returning("id")
      .executeTakeFirst();
    return recorded !== undefined;
  },

  async listWithout(orgId, limit) {
    return db
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.userId")
      .leftJoin("passkeys", (join) =>
        join
          .onRef("passkeys.userId", "=", "memberships.userId")
          .onRef("passkeys.orgId", "=", "memberships.orgId"),
      )
      .select(["memberships.userId", "email", "users.name"])
      .where("memberships.orgId", "=", orgId)
      .where("isRemoved", "=", 0)
      .where("users.isDeleted", "=", 0)
      .where("passkeys.id", "is", null)
      .orderBy("email")
      .orderBy("memberships.userId")
      .limit(limit)
      .execute();
  },

  async remove(owner, id) {
    const row = await deletionOf(db, owner).where("id", "=", id).returningAll().executeTakeFirst();
    return row === undefined ? null : toPasskey(row);
  },

  async removeAll(owner) {
    return (await deletionOf(db, owner).returning("id").execute()).length;
  },
});

const deletionOf = (db: Kysely<Database>, { orgId, userId }: PasskeyOwner) =>
  db.deleteFrom("passkeys").where("orgId", "=", orgId).where("userId", "=", userId);

function toPasskey({ transports, isBackedUp, ...row }: Selectable<Database["passkeys"]>): Passkey {
  return { ...row, transports: JSON.parse(transports) as string[], isBackedUp: isBackedUp === 1 };
}

/** Binds the store of challenges to a database or a transaction. */
export const passkeyChallengeStore = (db: Kysely<Database>): PasskeyChallengeStore => ({
  async put(name, challenge, now) {
    await db.deleteFrom("passkeyChallenges").where("expiresAt", "<=", now).execute();
    await db
      .insertInto("passkeyChallenges")
      .values({ ...name, ...challenge })
      .onConflict((conflict) => conflict.columns(["sessionId", "purpose"]).doUpdateSet(challenge))
      .execute();
  },

  async take({ sessionId, purpose }, now) {
    const taken = await db
      .deleteFrom("passkeyChallenges")
      .where("sessionId", "=", sessionId)
      .where("purpose", "=", purpose)
      .returning(["value", "expiresAt"])
      .executeTakeFirst();
    return taken !== undefined && taken.expiresAt > now ? taken.value : null;
  },
});
