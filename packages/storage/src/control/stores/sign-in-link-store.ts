import type { SignInLink, SignInLinkStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

const COLUMNS = [
  "id",
  "kind",
  "tokenHash",
  "externalOrgId",
  "email",
  "name",
  "role",
  "createdAt",
  "expiresAt",
] as const;

const NEWEST_FIRST = {
  at: "createdAt",
  id: "id",
  positionOf: ({ createdAt, id }: SignInLink) => ({ at: createdAt, id }),
};

/** Binds the sign-in link store to a database or a transaction. */
export const signInLinkStore = (db: Kysely<Database>): SignInLinkStore => ({
  async create({ id, kind, tokenHash, externalOrgId, email, name, role, createdAt, expiresAt }) {
    await db.deleteFrom("signInLinks").where("expiresAt", "<=", createdAt).execute();
    await db
      .insertInto("signInLinks")
      .values({ id, kind, tokenHash, externalOrgId, email, name, role, createdAt, expiresAt })
      .execute();
  },

  async find(tokenHash, now) {
    const link = await db
      .selectFrom("signInLinks")
      .select(COLUMNS)
      .where("tokenHash", "=", tokenHash)
      .where("expiresAt", ">", now)
      .executeTakeFirst();
    return link ?? null;
  },

  async redeem(tokenHash, now) {
    const link = await db
      .deleteFrom("signInLinks")
      .where("tokenHash", "=", tokenHash)
      .returning(COLUMNS)
      .executeTakeFirst();
    return link && link.expiresAt > now ? link : null;
  },

  listInvitations: (externalOrgId, now, page) =>
    readPage(openInvitations(db, externalOrgId, now).select(COLUMNS), NEWEST_FIRST, page),

  async listInvited(externalOrgId, now) {
    const rows = await openInvitations(db, externalOrgId, now)
      .select("email")
      .distinct()
      .orderBy("email")
      .execute();
    return rows.map(({ email }) => email);
  },

  async revokeInvitation(externalOrgId, id) {
    const link = await invitationsToDelete(db, externalOrgId)
      .where("id", "=", id)
      .returning(COLUMNS)
      .executeTakeFirst();
    return link ?? null;
  },

  async redeemInvitationOf(externalOrgId, email, now) {
    const links = await invitationsToDelete(db, externalOrgId)
      .where("email", "=", email)
      .returning(COLUMNS)
      .execute();
    const open = links.filter(({ expiresAt }) => expiresAt > now);
    return open.sort((one, two) => two.createdAt - one.createdAt)[0] ?? null;
  },

  async revokeInvitationsOf(externalOrgId, email) {
    await invitationsToDelete(db, externalOrgId).where("email", "=", email).execute();
  },
});

const invitationsToDelete = (db: Kysely<Database>, externalOrgId: string) =>
  db.deleteFrom("signInLinks").where("kind", "=", "invitation").where("externalOrgId", "=", externalOrgId);

const openInvitations = (db: Kysely<Database>, externalOrgId: string, now: number) =>
  db
    .selectFrom("signInLinks")
    .where("kind", "=", "invitation")
    .where("externalOrgId", "=", externalOrgId)
    .where("expiresAt", ">", now);
