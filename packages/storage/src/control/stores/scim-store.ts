import type { JsonObject, ScimResource, ScimStore } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of SCIM resources to a database or a transaction. */
export const scimStore = (db: Kysely<Database>): ScimStore => ({
  async putToken(token) {
    const { hash, createdAt } = token;
    await db
      .insertInto("scimTokens")
      .values(token)
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet({ hash, createdAt }))
      .execute();
  },

  async removeToken(orgId) {
    const query = db.deleteFrom("scimTokens").where("orgId", "=", orgId).returning("orgId");
    return (await query.executeTakeFirst()) !== undefined;
  },

  async findTokenDate(orgId) {
    const query = db.selectFrom("scimTokens").select("createdAt").where("orgId", "=", orgId);
    return (await query.executeTakeFirst())?.createdAt ?? null;
  },

  async findOrg(hash) {
    const query = db
      .selectFrom("scimTokens")
      .innerJoin("orgs", "orgs.id", "scimTokens.orgId")
      .select("orgId")
      .where("hash", "=", hash)
      .where("orgs.isDeleted", "=", 0);
    return (await query.executeTakeFirst())?.orgId ?? null;
  },

  async put(resource) {
    const { id, orgId, ...changed } = toRow(resource);
    await db
      .insertInto("scimResources")
      .values({ id, orgId, ...changed })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet(changed).where("scimResources.orgId", "=", orgId),
      )
      .execute();
  },

  async find(orgId, kind, id) {
    const row = await present(db, orgId, kind).where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : fromRow(row);
  },

  async list(orgId, kind) {
    const rows = await present(db, orgId, kind).orderBy("createdAt").orderBy("id").execute();
    return rows.map(fromRow);
  },

  async findPerson(orgId, { externalUserId, email }) {
    const rows = await db
      .selectFrom("scimResources")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("kind", "=", "User")
      .where((eb) => {
        const same = [eb("externalId", "=", externalUserId)];
        return eb.or(email ? [...same, eb("email", "=", email), eb("nameKey", "=", email)] : same);
      })
      .orderBy("updatedAt", "desc")
      .orderBy("id")
      .execute();
    return rows.map(fromRow);
  },
});

const present = (db: Kysely<Database>, orgId: string, kind: ScimResource["kind"]) =>
  db
    .selectFrom("scimResources")
    .selectAll()
    .where("orgId", "=", orgId)
    .where("kind", "=", kind)
    .where("isDeleted", "=", 0);

type Row = Selectable<Database["scimResources"]>;

const toRow = (resource: ScimResource): Row => ({
  ...resource,
  isActive: Number(resource.isActive),
  isDeleted: Number(resource.isDeleted),
  document: JSON.stringify(resource.document),
});

const fromRow = (row: Row): ScimResource => ({
  ...row,
  isActive: row.isActive === 1,
  isDeleted: row.isDeleted === 1,
  document: JSON.parse(row.document) as JsonObject,
});
