import { keyBinding, type SealedSecret, type SealStore, webhookBinding } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of the orgs' sealed secrets to a database or a transaction. */
export const sealStore = (db: Kysely<Database>): SealStore => ({
  async listStartingWith(prefix) {
    const keys = await db
      .selectFrom("apiKeys")
      .select(["orgId", "scope", "sealed"])
      .where("sealed", "like", `${prefix}%`)
      .execute();
    const webhooks = await db
      .selectFrom("webhookSecrets")
      .select(["orgId", "sealed"])
      .where("sealed", "like", `${prefix}%`)
      .execute();
    return [
      ...keys.map(({ orgId, scope, sealed }) => secretOf(keyBinding(orgId, scope), sealed)),
      ...webhooks.map(({ orgId, sealed }) => secretOf(webhookBinding(orgId), sealed)),
    ];
  },

  async replace(orgId, { from, to }) {
    await db
      .updateTable("apiKeys")
      .set({ sealed: to })
      .where("orgId", "=", orgId)
      .where("sealed", "=", from)
      .execute();
    await db
      .updateTable("webhookSecrets")
      .set({ sealed: to })
      .where("orgId", "=", orgId)
      .where("sealed", "=", from)
      .execute();
  },
});

const secretOf = (binding: SealedSecret["binding"], sealed: string | null): SealedSecret => ({
  binding,
  sealed: sealed ?? "",
});
