import type { MembershipUpdate, OrgUpdate, UserUpdate } from "@assay/domain";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

/** The time at which an update is stored, and the ids of rows that it may create. */
interface NewRow {
  readonly newId: () => string;
  readonly now: number;
}

/** Applies an update of a user, part by part. A part that a newer update has set stays unchanged. */
export async function applyUserUpdate(
  db: Kysely<Database>,
  { externalId, order, isDeleted, ...given }: UserUpdate,
  { newId, now }: NewRow,
): Promise<void> {
  // A deletion erases the personal data, and no older update restores it.
  const { email, name } = isDeleted ? { email: "", name: "" } : given;
  await db
    .insertInto("users")
    .values({
      id: newId(),
      externalId,
      changeOrder: order,
      isDeleted: Number(isDeleted),
      emailOrder: email === null ? UNSET : order,
      email: email ?? "",
      nameOrder: name === null ? UNSET : order,
      name: name ?? "",
      createdAt: now,
    })
    .onConflict((conflict) =>
      conflict
        .column("externalId")
        .doUpdateSet({
          changeOrder: newest("users", EXISTENCE, "changeOrder"),
          isDeleted: newest("users", EXISTENCE, "isDeleted"),
          emailOrder: newest("users", EMAIL, "emailOrder"),
          email: newest("users", EMAIL, "email"),
          nameOrder: newest("users", NAME, "nameOrder"),
          name: newest("users", NAME, "name"),
        })
        .where((eb) => eb.or([isNewer("users", EXISTENCE), isNewer("users", EMAIL), isNewer("users", NAME)])),
    )
    .execute();
}

/** Applies an update of an org like `applyUserUpdate`. Returns false when newer updates had already set every part. */
export async function applyOrgUpdate(
  db: Kysely<Database>,
  { externalId, order, isDeleted, name }: OrgUpdate,
  { newId, now }: NewRow,
): Promise<boolean> {
  const changed = await db
    .insertInto("orgs")
    .values({
      id: newId(),
      externalId,
      changeOrder: order,
      isDeleted: Number(isDeleted),
      nameOrder: name === null ? UNSET : order,
      name: name ?? "",
      configVersion: 1,
      createdAt: now,
    })
    .onConflict((conflict) =>
      conflict
        .column("externalId")
        .doUpdateSet({
          changeOrder: newest("orgs", EXISTENCE, "changeOrder"),
          isDeleted: newest("orgs", EXISTENCE, "isDeleted"),
          nameOrder: newest("orgs", NAME, "nameOrder"),
          name: newest("orgs", NAME, "name"),
        })
        .where((eb) => eb.or([isNewer("orgs", EXISTENCE), isNewer("orgs", NAME)])),
    )
    .returning("id")
    .executeTakeFirst();
  return changed !== undefined;
}

/** Creates the rows of a user and an org unless they exist. */
export async function createIfMissing(
  db: Kysely<Database>,
  { externalUserId, externalOrgId }: { externalUserId: string; externalOrgId: string },
  { newId, now }: NewRow,
): Promise<void> {
  await db
    .insertInto("users")
    .values({ id: newId(), externalId: externalUserId, email: "", name: "", createdAt: now })
    .onConflict((conflict) => conflict.column("externalId").doNothing())
    .execute();
  await db
    .insertInto("orgs")
    .values({ id: newId(), externalId: externalOrgId, name: "", configVersion: 1, createdAt: now })
    .onConflict((conflict) => conflict.column("externalId").doNothing())
    .execute();
}

/**
 * Applies an update to the membership of an existing user and org. Does nothing when a newer update was applied, or when the member
 * was removed and the update may not restore members.
 */
export async function applyMembershipUpdate(
  db: Kysely<Database>,
  { externalUserId, externalOrgId, order, role, isRemoved }: MembershipUpdate,
  { now, restores }: { readonly now: number; readonly restores: boolean },
): Promise<void> {
  await db
    .insertInto("memberships")
    .values(({ selectFrom }) => ({
      orgId: selectFrom("orgs").select("id").where("externalId", "=", externalOrgId),
      userId: selectFrom("users").select("id").where("externalId", "=", externalUserId),
      changeOrder: order,
      role,
      isRemoved: Number(isRemoved),
      createdAt: now,
    }))
    .onConflict((conflict) =>
      conflict
        .columns(["orgId", "userId"])
        .doUpdateSet({
          changeOrder: sql`excluded.change_order`,
          role: sql`excluded.role`,
          isRemoved: sql`excluded.is_removed`,
          seatedAt: sql`case when excluded.is_removed = 1 then null else memberships.seated_at end`,
        })
        .where(sql<boolean>`${membershipRank("memberships")} < ${membershipRank("excluded")}`)
        .where(restores ? sql<boolean>`1 = 1` : sql<boolean>`memberships.is_removed = 0`),
    )
    .execute();
}

/** The order of a part that the update does not set: older than every update. */
const UNSET = 0;

/** A part of a row, with the order of the latest update that set it. */
interface Part {
  readonly order: string;
  readonly value: string;
}

const EXISTENCE: Part = { order: "changeOrder", value: "isDeleted" };
const EMAIL: Part = { order: "emailOrder", value: "email" };
const NAME: Part = { order: "nameOrder", value: "name" };

/** Whether the update (`excluded`) sets the part. Of two updates with the same order, the greater value wins. */
const isNewer = (table: string, { order, value }: Part): RawBuilder<boolean> =>
  sql`(${sql.ref(`${table}.${order}`)}, ${sql.ref(`${table}.${value}`)})
    < (${sql.ref(`excluded.${order}`)}, ${sql.ref(`excluded.${value}`)})`;

const newest = <T>(table: string, part: Part, column: string): RawBuilder<T> =>
  sql`case when ${isNewer(table, part)}
    then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`${table}.${column}`)} end`;

/** For two updates with the same order, a removal wins, then the weaker role. */
const membershipRank = (row: "memberships" | "excluded"): RawBuilder<unknown> =>
  sql`(${sql.ref(`${row}.changeOrder`)}, ${sql.ref(`${row}.isRemoved`)},
    case ${sql.ref(`${row}.role`)} when 'member' then 2 when 'admin' then 1 else 0 end)`;
