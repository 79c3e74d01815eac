import { DomainError, type OrgStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

/** Binds the org store to a database or a transaction. */
export const orgStore = (db: Kysely<Database>): OrgStore => ({
  async find(orgId) {
    const org = await existing(db).where("id", "=", orgId).executeTakeFirst();
    return org ?? null;
  },

  list: () => existing(db).orderBy("createdAt", "desc").orderBy("id", "desc").execute(),

  /** An update that changes nothing locks the row on both engines. */
  async lock(orgId) {
    const locked = await update(db, orgId)
      .set((eb) => ({ configVersion: eb.ref("configVersion") }))
      .returning("id")
      .executeTakeFirst();
    if (!locked) throw notFound();
  },

  async requiresPasskey(orgId) {
    const org = await db
      .selectFrom("orgs")
      .select("requiresPasskey")
      .where("id", "=", orgId)
      .executeTakeFirst();
    return org?.requiresPasskey === 1;
  },

  async putPasskeyRequirement(orgId, isRequired) {
    await update(db, orgId)
      .set({ requiresPasskey: isRequired ? 1 : 0 })
      .execute();
  },

  async allowsReportLinks(orgId) {
    const org = await db
      .selectFrom("orgs")
      .select("forbidsReportLinks")
      .where("id", "=", orgId)
      .where("isDeleted", "=", 0)
      .executeTakeFirst();
    return org?.forbidsReportLinks === 0;
  },

  async putReportLinksAllowed(orgId, isAllowed) {
    await update(db, orgId)
      .set({ forbidsReportLinks: isAllowed ? 0 : 1 })
      .execute();
  },

  bumpConfigVersion: (orgId) =>
    inTransaction(db, async (tx) => {
      const bumped = await update(tx, orgId)
        .set((eb) => ({ configVersion: eb("configVersion", "+", 1) }))
        .returning("configVersion")
        .executeTakeFirst();
      if (!bumped) throw notFound();
      await dialectOf(tx).notifyChange(tx, { kind: "config", orgId });
      return bumped.configVersion;
    }),
});

const existing = (db: Kysely<Database>) =>
  db
    .selectFrom("orgs")
    .select(["id", "externalId", "name", "configVersion", "createdAt"])
    .where("isDeleted", "=", 0);

const update = (db: Kysely<Database>, orgId: string) =>
  db.updateTable("orgs").where("id", "=", orgId).where("isDeleted", "=", 0);

const notFound = () => new DomainError("org-not-found", "No organization has this id.");
