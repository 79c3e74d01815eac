import type { Member, PeopleStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import { readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";
import { bumpKeyEpoch } from "./key-store.ts";
import { applyMembershipUpdate, applyOrgUpdate, applyUserUpdate, createIfMissing } from "./people-updates.ts";

/** Binds the people store to a database or a transaction. `newId` creates the ids of orgs and users. */
export const peopleStore = (db: Kysely<Database>, newId: () => string): PeopleStore => ({
  putUser: (change, now) => applyUserUpdate(db, change, { newId, now }),

  putOrg: (change, now) =>
    inTransaction(db, async (tx) => {
      const isChanged = await applyOrgUpdate(tx, change, { newId, now });
      if (!isChanged || !change.isDeleted) return;
      const org = tx.selectFrom("orgs").select("id").where("externalId", "=", change.externalId);
      await bumpKeyEpoch(tx, (await org.executeTakeFirstOrThrow()).id);
    }),

  putMembership: (change, now) =>
    inTransaction(db, async (tx) => {
      await createIfMissing(tx, change, { newId, now });
      await applyMembershipUpdate(tx, change, { now, restores: true });
    }),

  putMembershipOfToken: (change, now) =>
    inTransaction(db, async (tx) => {
      await createIfMissing(tx, change, { newId, now });
      await applyMembershipUpdate(tx, { ...change, isRemoved: false }, { now, restores: false });
    }),

  async findAccess({ externalUserId, externalOrgId }) {
    const row = await db
      .selectFrom("memberships")
      .innerJoin("orgs", "orgs.id", "memberships.orgId")
      .innerJoin("users", "users.id", "memberships.userId")
      .select(["orgId", "userId", "email", "users.name", "role", "memberships.changeOrder as order"])
      .select(["isRemoved", "users.isDeleted as isUserDeleted", "orgs.isDeleted as isOrgDeleted", "seatedAt"])
      .select("requiresPasskey")
      .where("orgs.externalId", "=", externalOrgId)
      .where("users.externalId", "=", externalUserId)
      .executeTakeFirst();
    if (!row) return null;
    const { isRemoved, isUserDeleted, isOrgDeleted, seatedAt, requiresPasskey, ...access } = row;
    return {
      ...access,
      isRemoved: isRemoved === 1,
      isUserDeleted: isUserDeleted === 1,
      isOrgDeleted: isOrgDeleted === 1,
      hasSeat: seatedAt !== null,
      requiresPasskey: requiresPasskey === 1,
    };
  },

  async listSamePerson(orgId, { externalUserId, emails }) {
    const rows = await db
      .selectFrom("memberships")
      .innerJoin("users", "users.id", "memberships.userId")
      .select("users.externalId")
      .where("orgId", "=", orgId)
      .where((eb) =>
        eb.or([
          ...(externalUserId === null ? [] : [eb("users.externalId", "=", externalUserId)]),
          ...emails.map((email) => eb("users.email", "=", email)),
        ]),
      )
      .orderBy("users.id")
      .execute();
    return rows.map(({ externalId }) => externalId);
  },

  async isUserDeleted(externalUserId) {
    const deleted = await db
      .selectFrom("users")
      .select("id")
      .where("externalId", "=", externalUserId)
      .where("isDeleted", "=", 1)
      .executeTakeFirst();
    return deleted !== undefined;
  },

  async listOrgsOf(externalUserId) {
    const rows = await db
      .selectFrom("memberships")
      .innerJoin("orgs", "orgs.id", "memberships.orgId")
      .innerJoin("users", "users.id", "memberships.userId")
      .select("orgs.externalId")
      .where("users.externalId", "=", externalUserId)
      .orderBy("orgs.id")
      .execute();
    return rows.map(({ externalId }) => externalId);
  },

  async takeSeat({ orgId, userId }, seats, now) {
    let query = db
      .updateTable("memberships")
      .set((eb) => ({ seatedAt: eb.fn.coalesce("seatedAt", eb.val(now)) }))
      .where("orgId", "=", orgId)
      .where("userId", "=", userId)
      .where("isRemoved", "=", 0);
    if (seats !== null) {
      query = query.where((eb) =>
        eb.or([eb("seatedAt", "is not", null), eb(eb.val(seats), ">", takenSeats(db, orgId))]),
      );
    }
    const seated = await query.returning("userId").executeTakeFirst();
    return seated !== undefined;
  },

  async countSeats(orgId) {
    const { taken } = await takenSeats(db, orgId).executeTakeFirstOrThrow();
    return taken;
  },

  async findMember(orgId, userId) {
    const row = await members(db, orgId).where("users.id", "=", userId).executeTakeFirst();
    return row ?? null;
  },

  listMembers: (orgId, page) => readPage(members(db, orgId), NEWEST_FIRST, page),

  async countOwners(orgId) {
    const { owners } = await present(db, orgId)
      .select(({ fn }) => fn.countAll<number>().as("owners"))
      .where("role", "=", "owner")
      .executeTakeFirstOrThrow();
    return owners;
  },
});

/** Memberships that were not removed, of users that were not deleted. */
const present = (db: Kysely<Database>, orgId: string) =>
  db
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.userId")
    .where("orgId", "=", orgId)
    .where("isRemoved", "=", 0)
    .where("users.isDeleted", "=", 0);

const members = (db: Kysely<Database>, orgId: string) =>
  present(db, orgId).select([
    "userId",
    "externalId",
    "email",
    "name",
    "role",
    "seatedAt as joinedAt",
    "memberships.createdAt",
  ]);

const takenSeats = (db: Kysely<Database>, orgId: string) =>
  present(db, orgId)
    .select(({ fn }) => fn.countAll<number>().as("taken"))
    .where("seatedAt", "is not", null);

const NEWEST_FIRST = {
  at: "memberships.createdAt",
  id: "userId",
  positionOf: ({ createdAt, userId }: Member) => ({ at: createdAt, id: userId }),
};
