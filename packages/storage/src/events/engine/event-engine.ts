import type { ClickHouseSettings } from "@clickhouse/client";
import type { BoundQuery, EngineClient } from "./engine-client.ts";

/**
 * A ClickHouse with the event store's tables, on one node or spread over the shards of a cluster. On a cluster, all rows
 * of an org's user are on one shard, and so are all rows of an event id.
 *
 * Each shard of a cluster keeps its rows in `raw_events_local`, `analysis_local` and so on, and the plain
 * names are Distributed tables over these. Queries of the plain names are correct on any node; heavy queries run in `perShard`.
 */
export interface EventEngine extends EngineClient {
  /**
   * Returns a subquery that runs where the rows are. On a cluster, it runs on each shard, and the answers are concatenated
   * in any order, so the caller must be able to merge answers for disjoint sets of users.
   */
  perShard(sql: string): string;
  /** Writes a whole query that returns the rows of `perShard`, sorted by the column `order`. */
  fromShards(sql: string, order?: string): string;
  /** Inserts the rows of a query. */
  insertSelected(
    table: EventTable,
    columns: readonly string[],
    query: BoundQuery,
    settings?: ClickHouseSettings,
  ): Promise<void>;
  /**
   * Lists the parts of tables on one replica of each shard. For partitioned tables such as the raw log, it lists only partitions
   * from `rawSinceDay` (`YYYYMMDD`) on. A part never changes; a merge replaces several parts with a new one.
   */
  partsOf(tables: readonly EventTable[], rawSinceDay?: string): Promise<readonly TablePart[]>;
  /** Whether the node that lists the parts is also the node that answers queries. */
  readonly isOneNode: boolean;
  /** Returns a table's name for a statement that changes its rows on all nodes. */
  onNodes(table: EventTable): string;
}

/** A part: the unit in which ClickHouse stores some of a table's rows. */
export interface TablePart {
  readonly table: EventTable;
  readonly node: string;
  /** The id of its partition; in the raw log, a day (`YYYYMMDD`). */
  readonly partition: string;
  /** Unique among the parts of the node's table, unless the table was emptied meanwhile. */
  readonly name: string;
  /** A hash of the part's files. Together with the name, it identifies the part at any time. */
  readonly hash: string;
  readonly rows: number;
}

export type EventTable =
  | "raw_events"
  | "analysis"
  | "stored_ids"
  | "superseded_ids"
  | "unit_days"
  | "day_folds"
  | "unit_states";

/** Where the tables are, or would be created. `cluster` is null for a single node. */
export interface Placement {
  readonly database: string;
  readonly cluster: string | null;
}

/** Where the tables are, if they exist. */
export interface FoundPlacement extends Placement {
  readonly hasTables: boolean;
}

/** Finds out where the tables of the client's database are, from the table that is created first. */
export async function findPlacement(engine: EngineClient): Promise<FoundPlacement> {
  const [row] = await engine.rows<[database: string, tables: number, cluster: string]>(
    `SELECT currentDatabase(), count(), any(extract(engine_full, '^Distributed\\\\(\\'([^\\']+)\\''))
     FROM system.tables WHERE database = currentDatabase() AND name = 'schema_version'`,
    {},
  );
  const [database, tables, cluster] = row!;
  return { database, cluster: cluster === "" ? null : cluster, hasTables: tables > 0 };
}

/** Adapts a client to the placement of the tables. */
export function placedEngine(engine: EngineClient, { database, cluster }: Placement): EventEngine {
  if (cluster === null)
    return {
      ...engine,
      insertSelected: (table, columns, { sql, params }, settings) =>
        engine.command(`INSERT INTO ${table} (${columns.join(", ")}) ${sql}`, params, settings),
      partsOf: (tables, rawSinceDay) =>
        partsOf(engine, { from: "system.parts", database, tables, suffix: "", rawSinceDay }),
      isOneNode: true,
      perShard: (sql) => `(${sql})`,
      // Each level of a query costs time to plan.
      fromShards: (sql, order) => `${sql}${orderBy(order)}`,
      onNodes: (table) => table,
    };
  // A shard does not know the query's database.
  const perShard = (sql: string) =>
    `(SELECT * FROM cluster('${cluster}', view(${sql
      .replace(FROM_TABLE, `$1 ${quotedName(database)}.$2_local`)
      .replace(FROM_SPREAD_TABLE, `$1 ${quotedName(database)}.$2`)})))`;
  return {
    ...engine,
    rows: (sql, params, settings) => engine.rows(sql, params, { ...READ_SETTINGS, ...settings }),
    rowBinary: (sql, params, settings) => engine.rowBinary(sql, params, { ...READ_SETTINGS, ...settings }),
    native: (sql, params, settings) => engine.native(sql, params, { ...READ_SETTINGS, ...settings }),
    insert: (table, columns, lines) => engine.insert(table, columns, lines, CLUSTER_INSERT_SETTINGS),
    insertSelected: (table, columns, { sql, params }, settings) =>
      engine.command(`INSERT INTO ${table} (${columns.join(", ")}) ${sql}`, params, {
        ...CLUSTER_INSERT_SETTINGS,
        ...settings,
      }),
    partsOf: (tables, rawSinceDay) => {
      const from = `cluster('${cluster}', system.parts)`;
      return partsOf(engine, { from, database, tables, suffix: "_local", rawSinceDay });
    },
    isOneNode: false,
    perShard,
    fromShards: (sql, order) => `SELECT * FROM ${perShard(sql)}${orderBy(order)}`,
    onNodes: (table) => `${table}_local${onCluster(cluster)}`,
  };
}

const orderBy = (column: string | undefined) => (column === undefined ? "" : ` ORDER BY ${column}`);

interface TableParts {
  readonly from: string;
  readonly database: string;
  readonly tables: readonly EventTable[];
  /** The suffix of the names of the tables that contain the rows. */
  readonly suffix: string;
  readonly rawSinceDay: string | undefined;
}

async function partsOf(
  engine: EngineClient,
  { from, database, tables, suffix, rawSinceDay }: TableParts,
): Promise<readonly TablePart[]> {
  // The only partition of an unpartitioned table is `all`, which sorts after all days.
  const isRecent = rawSinceDay === undefined ? "" : "AND partition_id >= {raw_since: String}";
  const found = await engine.rows<
    [table: string, node: string, partition: string, name: string, hash: string, rows: number]
  >(
    `SELECT table, hostName(), partition_id, name, hash_of_all_files, rows FROM ${from}
     WHERE database = {database: String} AND table IN {tables: Array(String)} AND active ${isRecent}`,
    {
      database,
      tables: tables.map((table) => `${table}${suffix}`),
      ...(rawSinceDay !== undefined && { raw_since: rawSinceDay }),
    },
    { load_balancing: "in_order" },
  );
  return found.map(([full, node, partition, name, hash, rows]) => ({
    table: full.slice(0, full.length - suffix.length) as EventTable,
    ...{ node, partition, name, hash, rows },
  }));
}

/** Safe to replace in the whole text, because values are bound and never part of the text. */
const FROM_TABLE = /\b(FROM|JOIN)\s+(raw_events|analysis|stored_ids|unit_days|unit_states)\b/g;

/** Read through its Distributed table, because its rows concern events on every shard. */
const FROM_SPREAD_TABLE = /\b(FROM)\s+(superseded_ids)\b/g;

const READ_SETTINGS: ClickHouseSettings = {
  // Otherwise an answer could silently miss the users of a shard.
  skip_unavailable_shards: 0,
  // Bound values reach the shards as part of the query's text.
  max_query_size: "67108864",
};

/** Settings of an insert into the tables of a cluster. */
export const CLUSTER_INSERT_SETTINGS: ClickHouseSettings = {
  ...READ_SETTINGS,
  // Acknowledge only when most replicas of each shard have the rows, not when the receiving node has them.
  distributed_foreground_insert: 1,
  insert_quorum: "auto",
};

/** Returns the clause that runs a DDL statement on all nodes of a cluster; empty for a single node. */
export function onCluster(cluster: string | null): string {
  return cluster === null ? "" : ` ON CLUSTER ${quotedName(cluster)}`;
}

/** Quotes an identifier. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
