import {
  type BucketMap,
  DomainError,
  type Experiment,
  type ExperimentStore,
  type ExperimentVersion,
  hasEnded,
  type NewExperiment,
  type NewVersion,
} from "@assay/domain";
import type { Kysely } from "kysely";
import { isUniqueViolation } from "../dialect/engine-errors.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { keepFormerName, listFormerNames, takeName } from "./former-names.ts";
import { parseStoredConfig, storedStatus, writeStoredConfig } from "./stored-config.ts";

/** Rows per insert: well under the parameter limits of both engines, and compiled in about a millisecond. */
const CLAIMS_PER_INSERT = 500;

/** Tables whose rows are removed with their experiment. */
const TABLES_OF_EXPERIMENT = [
  "exclusions",
  "results",
  "replays",
  "guardLooks",
  "holdbackReports",
  "pipelineRuns",
  "labels",
  "judgements",
  "judgingCosts",
  "judgingPlans",
  "bucketClaims",
  "experimentVersions",
] as const;

/** Binds the experiment store to a database or a transaction. */
export const experimentStore = (db: Kysely<Database>): ExperimentStore => ({
  create: (first) => refusingTakenNames(first, () => inTransaction(db, (tx) => insertFirst(tx, first))),

  putVersion: (version) => refusingTakenNames(version, () => inTransaction(db, (tx) => append(tx, version))),

  get: (orgId, id) => getLatest(db, orgId, id),

  async find(orgId, idOrName) {
    const rows = await latest(db)
      .where("experiments.orgId", "=", orgId)
      .where((eb) =>
        eb.or([
          eb("experiments.id", "=", idOrName),
          eb("experiments.name", "=", idOrName),
          eb("experiments.id", "in", ({ selectFrom }) =>
            selectFrom("formerNames")
              .select("experimentId")
              .where("orgId", "=", orgId)
              .where("name", "=", idOrName),
          ),
        ]),
      )
      .execute();
    const found = rows.map(toExperiment);
    return (
      found.find(({ id }) => id === idOrName) ??
      found.find(({ config }) => config.name === idOrName) ??
      found[0] ??
      null
    );
  },

  async lock(orgId, id) {
    await lockRow(db, orgId, id);
    return getLatest(db, orgId, id);
  },

  async list(orgId) {
    const rows = await newestFirst(latest(db).where("experiments.orgId", "=", orgId)).execute();
    return rows.map(toExperiment);
  },

  listFormerNames: (orgId, id) => listFormerNames(db, orgId, id),

  async listCreators(orgId, id) {
    let query = db
      .selectFrom("experiments")
      .innerJoin("experimentVersions", "experimentVersions.experimentId", "experiments.id")
      .innerJoin("users", "users.id", "experimentVersions.createdBy")
      .select(["experiments.id as experimentId", "users.id", "users.name", "users.email"])
      .where("experiments.orgId", "=", orgId)
      .where("experimentVersions.version", "=", 1)
      .where("users.isDeleted", "=", 0);
    if (id !== undefined) query = query.where("experiments.id", "=", id);
    const rows = await query.execute();
    return new Map(
      rows.map(({ experimentId, id, name, email }) => [experimentId, { id, name: name || email }]),
    );
  },

  async listVersions(orgId, id) {
    const rows = await versions(db)
      .where("experiments.orgId", "=", orgId)
      .where("experiments.id", "=", id)
      .orderBy("experimentVersions.version", "desc")
      .execute();
    if (rows.length === 0) throw notFound();
    return rows.map(toVersion);
  },

  async listVersionsAfter(orgId, id, version) {
    const rows = await versions(db)
      .where("experiments.orgId", "=", orgId)
      .where("experiments.id", "=", id)
      .where("experimentVersions.version", ">", version)
      .orderBy("experimentVersions.version")
      .execute();
    return rows.map(toVersion);
  },

  async listForNightly(stoppedSince) {
    const rows = await newestFirst(
      ofExistingOrgs(db).where((eb) =>
        eb.or([
          eb("experiments.status", "=", "running"),
          eb.and([eb("experiments.status", "=", "stopped"), eb("experiments.stoppedAt", ">=", stoppedSince)]),
        ]),
      ),
    ).execute();
    return rows.map(toExperiment);
  },

  async listHoldbacks(endedSince) {
    const rows = await newestFirst(
      ofExistingOrgs(db)
        .where("experiments.status", "=", "stopped")
        // Only a holdback is stored like this. If a user's text looks the same, the config is merely read in vain.
        .where("experimentVersions.config", "like", '%"holdback":{"%'),
    ).execute();
    return rows
      .map(toExperiment)
      .filter(
        ({ config: { holdback } }) =>
          holdback !== null && (holdback.to === null || holdback.to >= endedSince),
      );
  },

  async findOrgId(id) {
    const row = await db.selectFrom("experiments").select("orgId").where("id", "=", id).executeTakeFirst();
    return row?.orgId ?? null;
  },

  async listClaims(experimentId) {
    const rows = await db
      .selectFrom("bucketClaims")
      .select("bucket")
      .where("experimentId", "=", experimentId)
      .execute();
    return new Set(rows.map(({ bucket }) => bucket));
  },

  claimBuckets: (orgId, experimentId, { version, buckets, now }) =>
    inTransaction(db, async (tx) => {
      const latest = await lockRow(tx, orgId, experimentId);
      if (latest?.version !== version) return false;
      for (let start = 0; start < buckets.length; start += CLAIMS_PER_INSERT) {
        const chunk = buckets.slice(start, start + CLAIMS_PER_INSERT);
        await tx
          .insertInto("bucketClaims")
          .values(chunk.map((bucket) => ({ experimentId, bucket, claimedAt: now })))
          .onConflict((conflict) => conflict.columns(["experimentId", "bucket"]).doNothing())
          .execute();
      }
      return true;
    }),

  async markServed(orgId, experimentId, { version, now }) {
    const marked = await db
      .updateTable("experiments")
      .set((eb) => ({ servedAt: eb.fn.coalesce("servedAt", eb.val(now)) }))
      .where("orgId", "=", orgId)
      .where("id", "=", experimentId)
      .where("version", "=", version)
      .returning("id")
      .executeTakeFirst();
    return marked !== undefined;
  },

  eraseQaUsers: (orgId, userIds) => inTransaction(db, (tx) => eraseQaUsers(tx, orgId, new Set(userIds))),

  remove: (orgId, id) =>
    inTransaction(db, async (tx) => {
      // Locked first, so that no claim and no new version comes in between.
      if ((await lockRow(tx, orgId, id)) === undefined) return false;
      for (const table of TABLES_OF_EXPERIMENT)
        await tx.deleteFrom(table).where("experimentId", "=", id).execute();
      await tx.deleteFrom("experiments").where("orgId", "=", orgId).where("id", "=", id).execute();
      return true;
    }),

  async putRemoval(removal) {
    await db.insertInto("experimentRemovals").values(removal).execute();
  },

  listRemovals: () => db.selectFrom("experimentRemovals").selectAll().orderBy("removedAt").execute(),

  async forgetRemovals(before) {
    await db.deleteFrom("experimentRemovals").where("removedAt", "<", before).execute();
  },
});

async function eraseQaUsers(
  db: Kysely<Database>,
  orgId: string,
  erased: ReadonlySet<string>,
): Promise<number> {
  const rows = await versions(db)
    .where("experiments.orgId", "=", orgId)
    // Only a non-empty list is stored like this. If a user's text looks the same, the config is merely read in vain.
    .where("experimentVersions.config", "like", '%"qaUsers":{"%')
    .execute();
  let changed = 0;
  for (const { id, version, config: stored } of rows) {
    const config = parseStoredConfig(stored);
    const lists = Object.entries(config.qaUsers);
    if (!lists.some(([, userIds]) => userIds.some((userId) => erased.has(userId)))) continue;
    const left = lists.map(([variant, userIds]) => [
      variant,
      userIds.filter((userId) => !erased.has(userId)),
    ]);
    await db
      .updateTable("experimentVersions")
      .set({ config: writeStoredConfig({ ...config, qaUsers: Object.fromEntries(left) }) })
      .where("experimentId", "=", id)
      .where("version", "=", version)
      .execute();
    changed += 1;
  }
  return changed;
}

/** Every version of every experiment. */
const versions = (db: Kysely<Database>) =>
  db
    .selectFrom("experiments")
    .innerJoin("experimentVersions", "experimentVersions.experimentId", "experiments.id")
    .select([
      "experiments.id",
      "experiments.orgId",
      "experiments.servedAt",
      "experiments.createdAt",
      "experiments.isDemo",
      "experimentVersions.version",
      "experimentVersions.config",
      "experimentVersions.bucketMap",
      "experimentVersions.createdAt as updatedAt",
      "experimentVersions.createdBy",
    ]);

/** The latest version of every experiment. */
const latest = (db: Kysely<Database>) =>
  versions(db).whereRef("experimentVersions.version", "=", "experiments.version");

/** The latest version of every experiment of an existing org, without demos. */
const ofExistingOrgs = (db: Kysely<Database>) =>
  latest(db)
    .where("experiments.isDemo", "=", 0)
    .where("experiments.orgId", "in", ({ selectFrom }) =>
      selectFrom("orgs").select("orgs.id").where("orgs.isDeleted", "=", 0),
    );

const newestFirst = (query: ReturnType<typeof latest>) =>
  query.orderBy("experiments.createdAt", "desc").orderBy("experiments.id", "desc");

async function getLatest(db: Kysely<Database>, orgId: string, id: string): Promise<Experiment> {
  const row = await latest(db)
    .where("experiments.orgId", "=", orgId)
    .where("experiments.id", "=", id)
    .executeTakeFirst();
  if (!row) throw notFound();
  return toExperiment(row);
}

/**
 * Locks the experiment's row until the transaction ends, and returns its latest version and name; undefined when the experiment
 * does not exist. An update that changes nothing locks the row on both engines.
 */
function lockRow(
  db: Kysely<Database>,
  orgId: string,
  id: string,
): Promise<{ readonly version: number; readonly name: string } | undefined> {
  return db
    .updateTable("experiments")
    .set((eb) => ({ version: eb.ref("version") }))
    .where("orgId", "=", orgId)
    .where("id", "=", id)
    .returning(["version", "name"])
    .executeTakeFirst();
}

async function insertFirst(db: Kysely<Database>, { config, ...first }: NewExperiment): Promise<Experiment> {
  await db
    .insertInto("experiments")
    .values({
      id: first.id,
      orgId: first.orgId,
      name: config.name,
      version: first.version,
      status: storedStatus(config.status),
      stoppedAt: hasEnded(config.status) ? first.at : null,
      servedAt: null,
      createdAt: first.at,
      isDemo: first.isDemo ? 1 : 0,
    })
    .execute();
  await takeName(db, { config, ...first });
  await insertVersion(db, { config, ...first });
  return getLatest(db, first.orgId, first.id);
}

async function append(db: Kysely<Database>, version: NewVersion): Promise<Experiment> {
  const { orgId, id, config, at } = version;
  const before = await lockRow(db, orgId, id);
  if (before === undefined) throw notFound();
  if (before.version !== version.version - 1) {
    throw new DomainError(
      "version-mismatch",
      `The experiment is at version ${before.version}: somebody else changed it. Read it again, repeat your change on this version and send the result.`,
    );
  }
  await db
    .updateTable("experiments")
    .set((eb) => ({
      name: config.name,
      version: version.version,
      status: storedStatus(config.status),
      stoppedAt: hasEnded(config.status) ? eb.fn.coalesce("stoppedAt", eb.val(at)) : null,
    }))
    .where("orgId", "=", orgId)
    .where("id", "=", id)
    .execute();
  if (config.name !== before.name) {
    await takeName(db, version);
    await keepFormerName(db, version, before.name);
  }
  await insertVersion(db, version);
  return getLatest(db, orgId, id);
}

async function insertVersion(db: Kysely<Database>, version: NewVersion): Promise<void> {
  await db
    .insertInto("experimentVersions")
    .values({
      experimentId: version.id,
      version: version.version,
      config: writeStoredConfig(version.config),
      bucketMap: JSON.stringify(version.bucketMap),
      createdAt: version.at,
      createdBy: version.by,
    })
    .execute();
}

async function refusingTakenNames<T>({ config }: NewVersion, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, { constraint: "experiments_org_name", column: "experiments.name" }))
      throw error;
    throw new DomainError("experiment-name-taken", `An experiment named ${config.name} already exists.`);
  }
}

const notFound = () =>
  new DomainError("experiment-not-found", "No experiment with this id exists in this organization.");

type VersionRow = Awaited<ReturnType<ReturnType<typeof versions>["execute"]>>[number];

const toVersion = ({ config, bucketMap, isDemo, ...row }: VersionRow): ExperimentVersion => ({
  ...row,
  config: parseStoredConfig(config),
  bucketMap: JSON.parse(bucketMap) as BucketMap,
  isDemo: isDemo === 1,
});

function toExperiment(row: VersionRow): Experiment {
  const { createdBy: _, ...experiment } = toVersion(row);
  return experiment;
}
