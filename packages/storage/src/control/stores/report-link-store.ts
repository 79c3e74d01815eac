import type { ReportLinkStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of links to reports to a database or a transaction. */
export const reportLinkStore = (db: Kysely<Database>): ReportLinkStore => ({
  async put(link) {
    await db.insertInto("reportLinks").values(link).execute();
  },

  list: (orgId, experimentId) =>
    db
      .selectFrom("reportLinks")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .orderBy("createdAt", "desc")
      .orderBy("id")
      .execute(),

  async find(id) {
    const link = await db.selectFrom("reportLinks").selectAll().where("id", "=", id).executeTakeFirst();
    return link ?? null;
  },

  async remove({ orgId, experimentId, id }) {
    const removed = await db
      .deleteFrom("reportLinks")
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst();
    return removed !== undefined;
  },

  async removeExpired(orgId, now) {
    await db.deleteFrom("reportLinks").where("orgId", "=", orgId).where("expiresAt", "<=", now).execute();
  },
});
