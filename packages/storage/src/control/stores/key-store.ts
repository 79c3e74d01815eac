import type { KeyStore, KeyUse } from "@assay/domain";
import type { Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

const COLUMNS = ["orgId", "scope", "hash", "sealed", "createdAt"] as const;

const byHash = (a: KeyUse, b: KeyUse) => (a.hash < b.hash ? -1 : 1);

/** Binds the API key store to a database or a transaction. */
export const keyStore = (db: Kysely<Database>): KeyStore => ({
  rotate: ({ orgId, scope, hash, sealed, createdAt }) =>
    inTransaction(db, async (tx) => {
      await tx
        .insertInto("apiKeys")
        .values({ orgId, scope, hash, sealed, createdAt })
        .onConflict((conflict) =>
          conflict.columns(["orgId", "scope"]).doUpdateSet({ hash, sealed, createdAt, lastUsedAt: null }),
        )
        .execute();
      await bumpKeyEpoch(tx, orgId);
    }),

  async findByHash(hash) {
    const key = await db
      .selectFrom("apiKeys")
      .innerJoin("orgs", "orgs.id", "apiKeys.orgId")
      .select(["apiKeys.orgId", "scope", "hash", "sealed", "apiKeys.createdAt"])
      .where("hash", "=", hash)
      .where("orgs.isDeleted", "=", 0)
      .executeTakeFirst();
    return key ?? null;
  },

  async getEpoch() {
    const { epoch } = await db.selectFrom("keyEpochs").select("epoch").executeTakeFirstOrThrow();
    return epoch;
  },

  async find(orgId, scope) {
    const key = await db
      .selectFrom("apiKeys")
      .select(COLUMNS)
      .where("orgId", "=", orgId)
      .where("scope", "=", scope)
      .executeTakeFirst();
    return key ?? null;
  },

  list: (orgId) =>
    db
      .selectFrom("apiKeys")
      .select([...COLUMNS, "lastUsedAt"])
      .where("orgId", "=", orgId)
      .orderBy("createdAt", "desc")
      .orderBy("scope")
      .execute(),

  recordUses: (uses) =>
    inTransaction(db, async (tx) => {
      // In a fixed order, so that two processes cannot deadlock.
      for (const { orgId, scope, hash, usedAt } of [...uses].sort(byHash)) {
        await tx
          .updateTable("apiKeys")
          .set({ lastUsedAt: usedAt })
          .where("orgId", "=", orgId)
          .where("scope", "=", scope)
          .where("hash", "=", hash)
          .where((eb) => eb.or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", usedAt)]))
          .execute();
      }
    }),
});

/** Counts a revocation, so that every process reads the keys again that it has cached. */
export async function bumpKeyEpoch(db: Kysely<Database>, orgId: string): Promise<void> {
  await db
    .updateTable("keyEpochs")
    .set((eb) => ({ epoch: eb("epoch", "+", 1) }))
    .execute();
  await dialectOf(db).notifyChange(db, { kind: "keys", orgId });
}
