import { type HeldToken, type ServiceToken, type ServiceTokenStore, TOKEN_USE_MS } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "../schema/schema.ts";

type TokenRow = Selectable<Database["serviceTokens"]>;
interface HeldRow extends TokenRow {
  readonly makerRole: HeldToken["makerRole"];
  readonly makerEmail: string;
  readonly isMakerGone: boolean | number;
}

/** Binds the store of service tokens to a database or a transaction. */
export const serviceTokenStore = (db: Kysely<Database>): ServiceTokenStore => ({
  async create({ runsNights, ...token }) {
    await db
      .insertInto("serviceTokens")
      .values({ ...token, runsNights: runsNights ? 1 : 0 })
      .execute();
  },

  async findByHash(hash) {
    const row = await heldTokens(db)
      .innerJoin("orgs", "orgs.id", "serviceTokens.orgId")
      .where("serviceTokens.hash", "=", hash)
      .where("orgs.isDeleted", "=", 0)
      .executeTakeFirst();
    return row === undefined ? null : toHeld(row);
  },

  async list(orgId) {
    const rows = await heldTokens(db)
      .where("serviceTokens.orgId", "=", orgId)
      .orderBy("serviceTokens.createdAt", "desc")
      .orderBy("serviceTokens.id", "desc")
      .execute();
    return rows.map(toHeld);
  },

  async revoke(orgId, id) {
    const row = await db
      .deleteFrom("serviceTokens")
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toToken(row);
  },

  async recordUse({ id, orgId }, usedAt) {
    await db
      .updateTable("serviceTokens")
      .set({ lastUsedAt: usedAt })
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .where((eb) => eb.or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<=", usedAt - TOKEN_USE_MS)]))
      .execute();
  },
});

const heldTokens = (db: Kysely<Database>) =>
  db
    .selectFrom("serviceTokens")
    .innerJoin("users", "users.id", "serviceTokens.madeBy")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.userId", "=", "serviceTokens.madeBy")
        .onRef("memberships.orgId", "=", "serviceTokens.orgId")
        .on("memberships.isRemoved", "=", 0),
    )
    .selectAll("serviceTokens")
    .select(["memberships.role as makerRole", "users.email as makerEmail", "users.isDeleted as isMakerGone"]);

function toHeld({ makerRole, makerEmail, isMakerGone, ...row }: HeldRow): HeldToken {
  return { ...toToken(row), makerRole: isMakerGone ? null : makerRole, makerEmail };
}

function toToken({ runsNights, ...row }: TokenRow): ServiceToken {
  return { ...row, runsNights: runsNights === 1 };
}
