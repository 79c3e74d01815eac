import type { SignInLinkStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Binds the sign-in link store to a database or a transaction. */
export const signInLinkStore = (db: Kysely<Database>): SignInLinkStore => ({
  async create({ tokenHash, externalOrgId, email, name, role, expiresAt }) {
    await db
      .insertInto("signInLinks")
      .values({ tokenHash, externalOrgId, email, name, role, expiresAt })
      .execute();
  },

  async redeem(tokenHash, now) {
    const link = await db
      .deleteFrom("signInLinks")
      .where("tokenHash", "=", tokenHash)
      .returning(["tokenHash", "externalOrgId", "email", "name", "role", "expiresAt"])
      .executeTakeFirst();
    return link && link.expiresAt > now ? link : null;
  },
});
