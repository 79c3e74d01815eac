import { StartupError } from "@assay/domain";
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { EngineReport } from "../../engine-report.ts";
import type { ClickHouseOptions } from "../clickhouse-event-store.ts";
import { type EngineClient, engineClient } from "./engine-client.ts";
import { findPlacement, type Placement } from "./event-engine.ts";

const TIMEOUT_MS = 5_000;
const GIB = 1024 ** 3;
const LEAST_FREE_SHARE = 0.1;

/** Probes a ClickHouse as the event store will use it, without changing anything. Throws a `StartupError`. */
export async function probeClickHouse(connection: ClickHouseOptions): Promise<EngineReport> {
  const log = { level: ClickHouseLogLevel.OFF };
  const engine = engineClient(
    createClient({ ...connection, application: "assay-doctor", request_timeout: TIMEOUT_MS, log }),
  );
  try {
    const [[version = ""] = []] = await engine.rows<[string]>("SELECT version()", {});
    const placement = await findPlacement(engine);
    const shards = placement.cluster === null ? 0 : await countShards(engine, placement.cluster);
    return { found: inWords(version, placement, shards), advice: await adviceOn(engine) };
  } catch (error) {
    throw explain(error);
  } finally {
    await engine.close();
  }
}

async function countShards(engine: EngineClient, cluster: string): Promise<number> {
  const [row] = await engine.rows<[number]>(
    "SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {cluster: String}",
    { cluster },
  );
  return row?.[0] ?? 0;
}

type FoundPlacement = Placement & { readonly hasTables: boolean };

function inWords(version: string, { database, cluster, hasTables }: FoundPlacement, shards: number): string {
  const where =
    cluster === null ? "" : `, ${shards} ${shards === 1 ? "shard" : "shards"} of the cluster ${cluster}`;
  const tables = hasTables ? "tables exist" : "no tables yet: the first start creates them";
  return `ClickHouse ${version}, database ${database}${where}, ${tables}`;
}

async function adviceOn(engine: EngineClient): Promise<readonly string[]> {
  const disks = await engine.rows<[name: string, free: number, total: number]>(
    `SELECT name, toFloat64(free_space), toFloat64(total_space) FROM system.disks
     WHERE type = 'Local' AND total_space > 0`,
    {},
  );
  const [[frozen] = [0]] = await engine.rows<[number]>(
    "SELECT toFloat64(count()) FROM system.replicas WHERE database = currentDatabase() AND is_readonly",
    {},
  );
  const [[broken] = [0]] = await engine.rows<[number]>(
    `SELECT toFloat64(count()) FROM system.detached_parts
     WHERE database = currentDatabase() AND startsWith(reason, 'broken')`,
    {},
  );
  return [
    ...disks
      .filter(([, free, total]) => free < LEAST_FREE_SHARE * total)
      .map(
        ([name, free]) =>
          `ClickHouse's disk ${name} has only ${(free / GIB).toFixed(1)} GiB free: free some space.`,
      ),
    ...(frozen > 0
      ? [`${frozen} replicated tables are read-only: check ClickHouse Keeper, and the server's log.`]
      : []),
    ...(broken > 0
      ? [
          `ClickHouse put ${broken} damaged ${broken === 1 ? "part" : "parts"} of tables aside (system.detached_parts). A replica fetches them again; without replicas, their events are missing from results: restore them from a backup. Then drop these parts.`,
        ]
      : []),
  ];
}

const ADDRESS = "ClickHouse at ASSAY_EVENTS_URL";

/** Messages by ClickHouse's error code. */
const REFUSALS: Readonly<Record<string, string>> = {
  81: `The database in ASSAY_EVENTS_URL does not exist: create it.`,
  193: `${ADDRESS} refuses the user or the password: check both.`,
  194: `${ADDRESS} refuses the user or the password: check both.`,
  497: `${ADDRESS} gives the user too few rights: grant all on its database, and SELECT on system.`,
  516: `${ADDRESS} refuses the user or the password: check both.`,
};

function explain(error: unknown): StartupError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const text =
    cause instanceof ClickHouseError
      ? (REFUSALS[cause.code] ?? `${ADDRESS} fails (${cause.type ?? cause.code}): see its log.`)
      : `${ADDRESS} does not answer: check the address and that the server runs.`;
  return new StartupError(text, { cause: error });
}
