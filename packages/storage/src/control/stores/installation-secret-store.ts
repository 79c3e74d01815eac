import type { InstallationSecretStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of the installation's secrets to a database or a transaction. */
export const installationSecretStore = (db: Kysely<Database>): InstallationSecretStore => {
  async function find(name: string): Promise<string | null> {
    const found = await db
      .selectFrom("installationSecrets")
      .select("sealed")
      .where("name", "=", name)
      .executeTakeFirst();
    return found?.sealed ?? null;
  }
  return {
    find,
    async putFirst(secret) {
      await db
        .insertInto("installationSecrets")
        .values(secret)
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
      return (await find(secret.name)) ?? secret.sealed;
    },
  };
};
