import { StartupError } from "@assay/domain";
import { ClickHouseError } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";
import { type FoundPlacement, findPlacement, type Placement, placedEngine } from "../engine/event-engine.ts";
import { addMissingColumns } from "./add-columns.ts";
import { clusterSteps, clusterVersionTable } from "./cluster-schema.ts";
import { dropEventIds, eventIdsStep } from "./id-tables.ts";
import { NEW_TABLES, SCHEMA_STEPS } from "./schema.ts";
import { applyChanges, DURABLE, type Step } from "./statements.ts";

/**
 * The oldest version that our SQL works on: the first whose `least` ignores NULL (ClickHouse's settings history).
 */
const OLDEST_VERSION: readonly [year: number, month: number] = [24, 12];

/** The table with the number of completed steps, on one node. */
export const ONE_NODE_VERSION_TABLE: Step = [
  `CREATE TABLE IF NOT EXISTS schema_version (version UInt32)
   ENGINE = ReplacingMergeTree ORDER BY version SETTINGS ${DURABLE}`,
];

/**
 * Brings the tables to the newest version. Every change may run twice, so a crash in between does no harm. `wanted` names
 * the cluster for new tables; existing tables stay where they are. Throws a `StartupError` if the server is too old or cannot
 * create the tables, or if the tables already exist elsewhere.
 */
export async function migrateSchema(engine: EngineClient, wanted: string | null): Promise<void> {
  const placement = await openPlacement(engine, wanted);
  const placed = placedEngine(engine, placement);
  const { cluster, hasTables } = placement;
  if (!hasTables) await beginTables(engine, cluster);
  const [current] = await placed.rows<[number]>("SELECT max(version) FROM schema_version", {});
  const done = Number(current?.[0] ?? 0);
  const steps = cluster === null ? SCHEMA_STEPS : clusterSteps(cluster);
  if (cluster === null && done === 0 && !(await hasBegun(engine))) {
    await applyChanges(engine, NEW_TABLES);
    await placed.insert("schema_version", ["version"], [`[${steps.length}]\n`]);
    return;
  }
  for (const [index, changes] of steps.entries()) {
    if (index < done) continue;
    await applyChanges(placed, changes);
    await placed.insert("schema_version", ["version"], [`[${index + 1}]\n`]);
  }
  await addMissingColumns(engine, cluster);
  // A new store has no ids to copy.
  if (done === 0) await dropEventIds(engine, cluster);
}

/** Returns whether the first step has begun: it creates these tables. */
async function hasBegun(engine: EngineClient): Promise<boolean> {
  const found = await engine.rows(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN ('events', 'old_events', 'event_ids')",
    {},
  );
  return found.length > 0;
}

/** Recreates the table of ids as text, for a folder whose ids have this form. */
export async function restoreEventIds(engine: EngineClient, cluster: string | null): Promise<void> {
  await applyChanges(engine, eventIdsStep(cluster));
}

/** Creates the version table. On a cluster, this shows whether it can run statements at all. */
async function beginTables(engine: EngineClient, cluster: string | null): Promise<void> {
  if (cluster === null) return applyChanges(engine, ONE_NODE_VERSION_TABLE);
  await applyChanges(engine, clusterVersionTable(cluster)).catch((error: unknown) => {
    if (!(error instanceof ClickHouseError)) throw error;
    throw new StartupError(
      `ClickHouse cannot create tables on the cluster "${cluster}": ${error.message.trim()} The nodes need ClickHouse Keeper and the macros shard and replica; the user needs the grant CLUSTER.`,
    );
  });
}

/** Returns where the tables are or will be. Checks the server's version and that it has the wanted cluster. */
async function openPlacement(engine: EngineClient, wanted: string | null): Promise<FoundPlacement> {
  await requireVersion(engine);
  const { database, cluster, hasTables } = await findPlacement(engine);
  if (wanted === null || cluster === wanted) return { database, cluster, hasTables };
  if (hasTables) throw new StartupError(takenBy({ database, cluster }, wanted));
  const [found] = await engine.rows<[number]>(
    "SELECT count() FROM system.clusters WHERE cluster = {wanted: String}",
    { wanted },
  );
  if (found?.[0] === 0)
    throw new StartupError(
      `ClickHouse has no cluster "${wanted}": name one that SELECT DISTINCT cluster FROM system.clusters lists.`,
    );
  return { database, cluster: wanted, hasTables };
}

function takenBy({ database, cluster }: Placement, wanted: string): string {
  const there = cluster === null ? "tables of a single node" : `tables of the cluster "${cluster}"`;
  return `The database "${database}" already has ${there}, and Assay does not convert them. To use the cluster "${wanted}", name an empty database in ASSAY_EVENTS_URL.`;
}

async function requireVersion(engine: EngineClient): Promise<void> {
  const rows = await engine.rows<[string]>("SELECT version()", {}).catch((error: unknown) => {
    throw explain(error);
  });
  const version = rows[0]?.[0] ?? "";
  const [year = 0, month = 0] = version.split(".").map(Number);
  const [oldestYear, oldestMonth] = OLDEST_VERSION;
  if (year > oldestYear || (year === oldestYear && month >= oldestMonth)) return;
  throw new StartupError(
    `ClickHouse ${version} is too old: Assay needs ${OLDEST_VERSION.join(".")} or newer.`,
  );
}

/** Translates a server's refusal of the first connection into an error with a fix. */
function explain(error: unknown): unknown {
  const { cause } = error as Error;
  if (!(cause instanceof ClickHouseError)) return error;
  if (cause.code === "81")
    return new StartupError(
      "The database in ASSAY_EVENTS_URL does not exist in ClickHouse: create it (CREATE DATABASE name, on a cluster with ON CLUSTER), or name another.",
    );
  if (cause.code === "516")
    return new StartupError("ClickHouse refuses the user or the password in ASSAY_EVENTS_URL.");
  return error;
}
