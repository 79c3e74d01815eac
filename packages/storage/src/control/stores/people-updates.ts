import type { MembershipUpdate, OrgUpdate, UserUpdate } from "@assay/domain";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

/** When a word is stored, and the ids of the rows that it may make. */
interface NewRow {
  readonly newId: () => string;
  readonly now: number;
}

/** Stores what is said of a user, each part of it unless a newer word told that part. */
export async function putUserWord(
  db: Kysely<Database>,
  { externalId, order, isDeleted, ...told }: UserUpdate,
  { newId, now }: NewRow,
): Promise<void> {
  // A deleted user's personal data goes, and no older word brings it back.
  const { email, name } = isDeleted ? { email: "", name: "" } : told;
  await db
    .insertInto("users")
    .values({
      id: newId(),
      externalId,
      changeOrder: order,
      isDeleted: Number(isDeleted),
      emailOrder: email === null ? UNTOLD : order,
      email: email ?? "",
      nameOrder: name === null ? UNTOLD : order,
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

/** Stores what is said of an org as `putUserWord` does; false when newer words had told all of it. */
export async function putOrgWord(
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
      nameOrder: name === null ? UNTOLD : order,
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

/** Makes the rows of a user and an org that nothing was said of yet. */
export async function putUnheardOf(
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

/** Stores what is said of the membership of a user and an org that have rows, unless a newer word was. */
export async function putMembershipWord(
  db: Kysely<Database>,
  { externalUserId, externalOrgId, order, role, isRemoved }: MembershipUpdate,
  now: number,
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
        .where(sql<boolean>`${membershipRank("memberships")} < ${membershipRank("excluded")}`),
    )
    .execute();
}

/** The order of a part that the word does not tell: older than any word. */
const UNTOLD = 0;

/** A part of a row that words tell for itself: the order of its newest word, and what that word said. */
interface Part {
  readonly order: string;
  readonly value: string;
}

const EXISTENCE: Part = { order: "changeOrder", value: "isDeleted" };
const EMAIL: Part = { order: "emailOrder", value: "email" };
const NAME: Part = { order: "nameOrder", value: "name" };

/** Whether the word at hand counts for the part; of two words of one order the greater value does, whichever came last. */
const isNewer = (table: string, { order, value }: Part): RawBuilder<boolean> =>
  sql`(${sql.ref(`${table}.${order}`)}, ${sql.ref(`${table}.${value}`)})
    < (${sql.ref(`excluded.${order}`)}, ${sql.ref(`excluded.${value}`)})`;

const newest = <T>(table: string, part: Part, column: string): RawBuilder<T> =>
  sql`case when ${isNewer(table, part)}
    then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`${table}.${column}`)} end`;

/** Of two words of one order a removal counts, else the weaker role. */
const membershipRank = (row: "memberships" | "excluded"): RawBuilder<unknown> =>
  sql`(${sql.ref(`${row}.changeOrder`)}, ${sql.ref(`${row}.isRemoved`)},
    case ${sql.ref(`${row}.role`)} when 'member' then 2 when 'admin' then 1 else 0 end)`;
