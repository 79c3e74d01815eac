import { DomainError, type NewVersion } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Lists former names that the org's experiments, or one of them, still answer to: newest first, by experiment id. */
export async function listFormerNames(
  db: Kysely<Database>,
  orgId: string,
  id?: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  let query = db
    .selectFrom("formerNames")
    .select(["experimentId", "name"])
    .where("orgId", "=", orgId)
    .orderBy("renamedAt", "desc")
    .orderBy("name");
  if (id !== undefined) query = query.where("experimentId", "=", id);
  const byExperiment = Map.groupBy(await query.execute(), ({ experimentId }) => experimentId);
  return new Map([...byExperiment].map(([key, rows]) => [key, rows.map(({ name }) => name)]));
}

/**
 * Takes a version's name away from the experiment that formerly had it. Call this once the experiment's own row has
 * the name: its unique constraint makes this transaction wait for a rename that is about to free the name. Throws
 * `experiment-name-taken` while another running experiment answers to the name.
 */
export async function takeName(
  db: Kysely<Database>,
  { orgId, id, config: { name } }: Pick<NewVersion, "orgId" | "id" | "config">,
): Promise<void> {
  const holder = await db
    .selectFrom("formerNames")
    .innerJoin("experiments", "experiments.id", "formerNames.experimentId")
    .select(["experiments.id", "experiments.name", "experiments.status"])
    .where("formerNames.orgId", "=", orgId)
    .where("formerNames.name", "=", name)
    .executeTakeFirst();
  if (holder === undefined) return;
  if (holder.id !== id && holder.status === "running") {
    const detail = `"${name}" is a former name of the running experiment "${holder.name}", whose clients may still use it: choose another name, or stop "${holder.name}" first.`;
    throw new DomainError("experiment-name-taken", detail);
  }
  await db.deleteFrom("formerNames").where("orgId", "=", orgId).where("name", "=", name).execute();
}

/** The config lists an experiment once more per former name. With this limit, clients can lag nine renames behind. */
const MAX_FORMER_NAMES = 10;

/** Stores the name that an experiment had before this version; keeps at most ten in all. */
export async function keepFormerName(
  db: Kysely<Database>,
  { orgId, id, at }: Pick<NewVersion, "orgId" | "id" | "at">,
  name: string,
): Promise<void> {
  const held = { experimentId: id, renamedAt: at };
  await db
    .insertInto("formerNames")
    .values({ orgId, name, ...held })
    // The previous version takes a name without removing it from the former holder.
    .onConflict((conflict) => conflict.columns(["orgId", "name"]).doUpdateSet(held))
    .execute();
  const names = (await listFormerNames(db, orgId, id)).get(id) ?? [];
  const oldest = names.slice(MAX_FORMER_NAMES);
  if (oldest.length > 0)
    await db.deleteFrom("formerNames").where("orgId", "=", orgId).where("name", "in", oldest).execute();
}
