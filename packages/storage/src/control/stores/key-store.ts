import type { KeyStore, KeyUse } from "@assay/domain";
import type { Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

const COLUMNS = [
  "apiKeys.orgId",
  "apiKeys.scope",
  "apiKeys.hash",
  "apiKeys.sealed",
  "apiKeys.createdAt",
  "apiKeys.allowedOrigins",
] as const;

const UNUSED = { lastUsedAt: null, lastBrowserUseAt: null };

const byHash = (a: KeyUse, b: KeyUse) => (a.hash < b.hash ? -1 : 1);

/** Binds the API key store to a database or a transaction. */
export const keyStore = (db: Kysely<Database>): KeyStore => ({
  rotate: ({ orgId, scope, hash, sealed, createdAt }) =>
    inTransaction(db, async (tx) => {
      await tx
        .insertInto("apiKeys")
        .values({ orgId, scope, hash, sealed, createdAt })
        .onConflict((conflict) =>
          conflict.columns(["orgId", "scope"]).doUpdateSet({ hash, sealed, createdAt, ...UNUSED }),
        )
        .execute();
      await bumpKeyEpoch(tx, orgId);
    }),

  putAllowedOrigins: (orgId, origins) =>
    inTransaction(db, async (tx) => {
      await tx
        .updateTable("apiKeys")
        .set({ allowedOrigins: origins && JSON.stringify(origins) })
        .where("orgId", "=", orgId)
        .where("scope", "=", "publishable")
        .execute();
      await bumpKeyEpoch(tx, orgId);
    }),

  async findByHash(hash) {
    const key = await db
      .selectFrom("apiKeys")
      .innerJoin("orgs", "orgs.id", "apiKeys.orgId")
      .select(COLUMNS)
      .where("hash", "=", hash)
      .where("orgs.isDeleted", "=", 0)
      .executeTakeFirst();
    return key ? toStoredKey(key) : null;
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
    return key ? toStoredKey(key) : null;
  },

  async list(orgId) {
    const keys = await db
      .selectFrom("apiKeys")
      .select([...COLUMNS, "lastUsedAt", "lastBrowserUseAt"])
      .where("orgId", "=", orgId)
      .orderBy("createdAt", "desc")
      .orderBy("scope")
      .execute();
    return keys.map(toStoredKey);
  },

  recordUses: (uses) =>
    inTransaction(db, async (tx) => {
      // A fixed order, so that two processes cannot deadlock.
      for (const { usedAt, browserUseAt, ...key } of [...uses].sort(byHash)) {
        await recordLater(tx, key, { column: "lastUsedAt", at: usedAt });
        if (browserUseAt !== null)
          await recordLater(tx, key, { column: "lastBrowserUseAt", at: browserUseAt });
      }
    }),
});

function toStoredKey<K extends { readonly allowedOrigins: string | null }>(key: K) {
  const { allowedOrigins } = key;
  return {
    ...key,
    allowedOrigins: allowedOrigins === null ? null : (JSON.parse(allowedOrigins) as string[]),
  };
}

interface Use {
  readonly column: "lastUsedAt" | "lastBrowserUseAt";
  readonly at: number;
}

/** Records a use unless a later one is already recorded or the key was replaced. */
async function recordLater(
  db: Kysely<Database>,
  { orgId, scope, hash }: Pick<KeyUse, "orgId" | "scope" | "hash">,
  { column, at }: Use,
): Promise<void> {
  await db
    .updateTable("apiKeys")
    .set({ [column]: at })
    .where("orgId", "=", orgId)
    .where("scope", "=", scope)
    .where("hash", "=", hash)
    .where((eb) => eb.or([eb(column, "is", null), eb(column, "<", at)]))
    .execute();
}

/** Counts a change of keys, so that every process rereads its cached keys. */
export async function bumpKeyEpoch(db: Kysely<Database>, orgId: string): Promise<void> {
  await db
    .updateTable("keyEpochs")
    .set((eb) => ({ epoch: eb("epoch", "+", 1) }))
    .execute();
  await dialectOf(db).notifyChange(db, { kind: "keys", orgId });
}
