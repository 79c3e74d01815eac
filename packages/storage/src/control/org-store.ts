import { DomainError, type Identity, type OrgStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { inTransaction } from "./in-transaction.ts";
import type { Database } from "./schema.ts";

const ORG_COLUMNS = ["id", "externalId", "name", "configVersion", "createdAt"] as const;
const USER_COLUMNS = ["id", "externalId", "email", "name"] as const;

/** Binds the org store to a database or a transaction. */
export const orgStore = (db: Kysely<Database>, newId: () => string): OrgStore => ({
  async provision(identity, now) {
    const known =
      (await findMembership(db, identity)) ??
      (await inTransaction(db, (tx) => createMembership(tx, identity, { now, newId })));
    return applyRole(db, known, identity);
  },

  async find(orgId) {
    const org = await db.selectFrom("orgs").select(ORG_COLUMNS).where("id", "=", orgId).executeTakeFirst();
    return org ?? null;
  },

  list: () =>
    db.selectFrom("orgs").select(ORG_COLUMNS).orderBy("createdAt", "desc").orderBy("id", "desc").execute(),

  async findUser(userId) {
    const user = await db
      .selectFrom("users")
      .select(USER_COLUMNS)
      .where("id", "=", userId)
      .executeTakeFirst();
    return user ?? null;
  },

  async findUserByExternalId(externalId) {
    const user = await db
      .selectFrom("users")
      .select(USER_COLUMNS)
      .where("externalId", "=", externalId)
      .executeTakeFirst();
    return user ?? null;
  },

  listMembers: (orgId) =>
    db
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.userId")
      .select(["users.id", "users.externalId", "users.email", "users.name", "memberships.role"])
      .where("memberships.orgId", "=", orgId)
      .orderBy("memberships.createdAt", "desc")
      .orderBy("users.id", "desc")
      .execute(),

  async bumpConfigVersion(orgId) {
    const bumped = await db
      .updateTable("orgs")
      .set((eb) => ({ configVersion: eb("configVersion", "+", 1) }))
      .where("id", "=", orgId)
      .returning("configVersion")
      .executeTakeFirst();
    if (!bumped) throw new DomainError("not-found", "There is no such organization.");
    return bumped.configVersion;
  },
});

type MembershipRow = Pick<Database["memberships"], "orgId" | "userId" | "role" | "roleIssuedAt">;

const findMembership = (db: Kysely<Database>, identity: Identity): Promise<MembershipRow | undefined> =>
  db
    .selectFrom("memberships")
    .innerJoin("orgs", "orgs.id", "memberships.orgId")
    .innerJoin("users", "users.id", "memberships.userId")
    .select(["memberships.orgId", "memberships.userId", "memberships.role", "memberships.roleIssuedAt"])
    .where("orgs.externalId", "=", identity.externalOrgId)
    .where("users.externalId", "=", identity.externalUserId)
    .executeTakeFirst();

/** Creates what is missing. A rival that creates the same rows first wins; its rows are read then. */
async function createMembership(
  db: Kysely<Database>,
  identity: Identity,
  { now, newId }: { now: number; newId: () => string },
): Promise<MembershipRow> {
  const { externalOrgId, externalUserId, email, name, role, issuedAt } = identity;
  await db
    .insertInto("orgs")
    .values({
      id: newId(),
      externalId: externalOrgId,
      name: identity.orgName ?? externalOrgId,
      configVersion: 1,
      createdAt: now,
    })
    .onConflict((conflict) => conflict.column("externalId").doNothing())
    .execute();
  await db
    .insertInto("users")
    .values({ id: newId(), externalId: externalUserId, email, name, createdAt: now })
    .onConflict((conflict) => conflict.column("externalId").doNothing())
    .execute();
  const [org, user] = [await idOf(db, "orgs", externalOrgId), await idOf(db, "users", externalUserId)];
  await db
    .insertInto("memberships")
    .values({ orgId: org, userId: user, role, roleIssuedAt: issuedAt, createdAt: now })
    .onConflict((conflict) => conflict.columns(["orgId", "userId"]).doNothing())
    .execute();
  return readMembership(db, { orgId: org, userId: user });
}

async function idOf(db: Kysely<Database>, table: "orgs" | "users", externalId: string): Promise<string> {
  const row = await db
    .selectFrom(table)
    .select("id")
    .where("externalId", "=", externalId)
    .executeTakeFirstOrThrow();
  return row.id;
}

const readMembership = (
  db: Kysely<Database>,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<MembershipRow> =>
  db
    .selectFrom("memberships")
    .select(["orgId", "userId", "role", "roleIssuedAt"])
    .where("orgId", "=", orgId)
    .where("userId", "=", userId)
    .executeTakeFirstOrThrow();

/**
 * Gives the membership the token's role unless a newer token spoke before. A newer token with the same role is
 * recorded too, or an older one that comes late would win over it.
 */
async function applyRole(db: Kysely<Database>, row: MembershipRow, { role, issuedAt }: Identity) {
  const { orgId, userId } = row;
  const isApplied = row.roleIssuedAt === issuedAt && row.role === role;
  if (isApplied || row.roleIssuedAt > issuedAt) return { orgId, userId, role: row.role };
  const updated = await db
    .updateTable("memberships")
    .set({ role, roleIssuedAt: issuedAt })
    .where("orgId", "=", orgId)
    .where("userId", "=", userId)
    .where("roleIssuedAt", "<=", issuedAt)
    .returning("role")
    .executeTakeFirst();
  return { orgId, userId, role: updated?.role ?? (await readMembership(db, row)).role };
}
