import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "./engine-client.ts";

/**
 * A ClickHouse with the event store's tables in it: on one node, or spread over the shards of a cluster so that all rows
 * of a user of an org are on one shard, and all rows of an event's id.
 *
 * On a cluster each shard has its rows in `raw_events_local`, `analysis_local` and `event_ids_local`, and the plain names
 * are Distributed tables over these: what reads them is right on any node, and what is heavy runs in `perShard`.
 */
export interface EventEngine extends EngineClient {
  /**
   * Writes a subquery that runs whole where the rows are: on a cluster once on each shard, whose answers come together in no
   * order. So it must be a query whose answers for several sets of users can be put together.
   */
  perShard(sql: string): string;
  /** Names a table in a statement that changes the rows which lie in it, on all nodes. */
  onNodes(table: EventTable): string;
}

export type EventTable = "raw_events" | "analysis" | "event_ids";

/** Where the tables are, or would be: `cluster` is null for one node. */
export interface Placement {
  readonly database: string;
  readonly cluster: string | null;
}

/** Where the tables are, if they are made. */
export interface FoundPlacement extends Placement {
  readonly hasTables: boolean;
}

/** Finds out where the tables of the client's database are. The first of them to be made tells. */
export async function findPlacement(engine: EngineClient): Promise<FoundPlacement> {
  const [row] = await engine.rows<[database: string, tables: number, cluster: string]>(
    `SELECT currentDatabase(), count(), any(extract(engine_full, '^Distributed\\\\(\\'([^\\']+)\\''))
     FROM system.tables WHERE database = currentDatabase() AND name = 'schema_version'`,
    {},
  );
  const [database, tables, cluster] = row!;
  return { database, cluster: cluster === "" ? null : cluster, hasTables: tables > 0 };
}

/** Lets the queries run where the tables are. */
export function placedEngine(engine: EngineClient, { database, cluster }: Placement): EventEngine {
  if (cluster === null) return { ...engine, perShard: (sql) => `(${sql})`, onNodes: (table) => table };
  return {
    ...engine,
    rows: (sql, params, settings) => engine.rows(sql, params, { ...READ_SETTINGS, ...settings }),
    insert: (table, columns, lines) => engine.insert(table, columns, lines, CLUSTER_INSERT_SETTINGS),
    // A shard knows nothing of the database that the query runs in.
    perShard: (sql) =>
      `(SELECT * FROM cluster('${cluster}', view(${sql.replace(FROM_TABLE, `$1 ${quotedName(database)}.$2_local`)})))`,
    onNodes: (table) => `${table}_local${onCluster(cluster)}`,
  };
}

/** No value stands in a query's text: they are all bound. */
const FROM_TABLE = /\b(FROM|JOIN)\s+(raw_events|analysis|event_ids)\b/g;

const READ_SETTINGS: ClickHouseSettings = {
  // An answer without the users of a shard would be wrong, and nobody would see it.
  skip_unavailable_shards: 0,
  // Values bound to a query reach the shards as part of its text.
  max_query_size: "4194304",
};

/** What an insert into the tables of a cluster needs. */
export const CLUSTER_INSERT_SETTINGS: ClickHouseSettings = {
  ...READ_SETTINGS,
  // Acknowledged once the shards have the rows, not once the node that took them has; on most replicas of each.
  distributed_foreground_insert: 1,
  insert_quorum: "auto",
};

/** Writes the clause that lets a statement about tables run on all of a cluster's nodes; nothing for a single node. */
export function onCluster(cluster: string | null): string {
  return cluster === null ? "" : ` ON CLUSTER ${quotedName(cluster)}`;
}

/** Writes a name so that any character may be in it. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
