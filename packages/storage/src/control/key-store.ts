import type { KeyStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

const COLUMNS = ["orgId", "scope", "hash", "sealed", "createdAt"] as const;

/** Binds the API key store to a database or a transaction. */
export const keyStore = (db: Kysely<Database>): KeyStore => ({
  async rotate({ orgId, scope, hash, sealed, createdAt }) {
    await db
      .insertInto("apiKeys")
      .values({ orgId, scope, hash, sealed, createdAt })
      .onConflict((conflict) => conflict.columns(["orgId", "scope"]).doUpdateSet({ hash, sealed, createdAt }))
      .execute();
  },

  async findByHash(hash) {
    const key = await db.selectFrom("apiKeys").select(COLUMNS).where("hash", "=", hash).executeTakeFirst();
    return key ?? null;
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
      .select(COLUMNS)
      .where("orgId", "=", orgId)
      .orderBy("createdAt", "desc")
      .orderBy("scope")
      .execute(),
});
