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
});

const newestFirst = (db: Kysely<Database>, orgId: string) =>
  db.selectFrom("exclusions").selectAll().where("orgId", "=", orgId).orderBy("number", "desc");

function toEntry(row: Selectable<Database["exclusions"]>): ExclusionEntry {
  const { number, reason, match, lifts, actorId, actorName, actorEmail, createdAt } = row;
  const entry = { number, reason, actor: { id: actorId, name: actorName, email: actorEmail }, createdAt };
  // An entry has one of the two.
  return match === null
    ? { ...entry, match, lifts: lifts as number }
    : { ...entry, match: JSON.parse(match) as ExclusionMatch, lifts: null };
}
