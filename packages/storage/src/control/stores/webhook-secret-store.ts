import type { WebhookSecretStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the webhook secret store to a database or a transaction. */
export const webhookSecretStore = (db: Kysely<Database>): WebhookSecretStore => ({
  async rotate({ orgId, sealed, createdAt }) {
    await db
      .insertInto("webhookSecrets")
      .values({ orgId, sealed, createdAt })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet({ sealed, createdAt }))
      .execute();
  },

  async find(orgId) {
    const secret = await db
      .selectFrom("webhookSecrets")
      .select(["orgId", "sealed", "createdAt"])
      .where("orgId", "=", orgId)
      .executeTakeFirst();
    return secret ?? null;
  },
});
