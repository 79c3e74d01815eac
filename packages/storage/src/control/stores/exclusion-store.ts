import type { ExclusionEntry, ExclusionMatch, ExclusionStore } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of exclusions to a database or a transaction. */
export const exclusionStore = (db: Kysely<Database>): ExclusionStore => ({
  async append(orgId, experimentId, { number, reason, match, lifts, actor, createdAt }) {
    await db
      .insertInto("exclusions")
      .values({
        ...{ orgId, experimentId, number, reason, lifts, createdAt },
        match: match && JSON.stringify(match),
        actorId: actor.id,
        actorName: actor.name,
        actorEmail: actor.email,
      })
      .execute();
  },

  async list(orgId, experimentId) {
    return (await newestFirst(db, orgId).where("experimentId", "=", experimentId).execute()).map(toEntry);
  },

  async listAll(orgId) {
    const rows = await newestFirst(db, orgId).execute();
    const byExperiment = Map.groupBy(rows, ({ experimentId }) => experimentId);
    return new Map([...byExperiment].map(([experimentId, own]) => [experimentId, own.map(toEntry)]));
  },

  async newest(orgId) {
    const rows = await db
      .selectFrom("exclusions")
      .select(({ fn }) => ["experimentId", fn.max("number").as("number")])
      .where("orgId", "=", orgId)
      .groupBy("experimentId")
      .execute();
    return new Map(rows.map(({ experimentId, number }) => [experimentId, Number(number)]));
  },

  async eraseUsers(users) {
    let changed = 0;
    for (const [orgId, own] of Map.groupBy(users, (user) => user.orgId))
      changed += await eraseFrom(db, orgId, new Set(own.map(({ userId }) => userId)));
    return changed;
  },
});

/** Rewrites an org's entries whose matches name one of the users. */
async function eraseFrom(db: Kysely<Database>, orgId: string, erased: ReadonlySet<string>): Promise<number> {
  let changed = 0;
  for (const { experimentId, number, match } of await newestFirst(db, orgId).execute()) {
    const { userIds, ...parts } = (match === null ? {} : JSON.parse(match)) as ExclusionMatch;
    if (!userIds?.some((id) => erased.has(id))) continue;
    const left: ExclusionMatch = { userIds: userIds.filter((id) => !erased.has(id)), ...parts };
    await db
      .updateTable("exclusions")
      .set({ match: JSON.stringify(left) })
      .where("orgId", "=", orgId)
      .where("experimentId", "=", experimentId)
      .where("number", "=", number)
      .execute();
    changed += 1;
  }
  return changed;
}

const newestFirst = (db: Kysely<Database>, orgId: string) =>
  db.selectFrom("exclusions").selectAll().where("orgId", "=", orgId).orderBy("number", "desc");

function toEntry(row: Selectable<Database["exclusions"]>): ExclusionEntry {
  const { number, reason, match, lifts, actorId, actorName, actorEmail, createdAt } = row;
  const entry = { number, reason, actor: { id: actorId, name: actorName, email: actorEmail }, createdAt };
  // An entry is either an exclusion or a lift.
  return match === null
    ? { ...entry, match, lifts: lifts as number }
    : { ...entry, match: JSON.parse(match) as ExclusionMatch, lifts: null };
}
