import type { EngineClient } from "../events/engine/engine-client.ts";

/** A column with its type as the engine names it. */
export interface EventColumn {
  readonly name: string;
  readonly type: string;
}

/** A table of events, with the facts that a move needs. */
export interface EventTable {
  readonly name: string;
  /** Its name in messages. */
  readonly title: string;
  /** The sorting key: rows with equal keys merge into one. */
  readonly key: readonly string[];
  /** A column of the key that contains bytes. They are sent as hexadecimal digits. */
  readonly binaryKey?: string;
  /** Whether the table has partitions, which are copied one at a time. */
  readonly isSliced: boolean;
  /** Maximum number of rows of a chunk. */
  readonly chunkRows: number;
}

const BY_USER = ["org_id", "experiment_id", "user_id", "event_id"];

/**
 * The tables to copy, in order. Raw events fill the target's analysis log on arrival, so only analysis rows that outlived
 * their raw events remain to be copied. The ids are last, as in every append.
 */
export const EVENT_TABLES: readonly EventTable[] = [
  {
    name: "raw_events",
    title: "raw events",
    key: BY_USER,
    isSliced: true,
    chunkRows: 32_768,
  },
  { name: "analysis", title: "analysis log", key: BY_USER, isSliced: false, chunkRows: 131_072 },
  {
    name: "superseded_ids",
    title: "superseded ids",
    key: ["org_id", "event_id", "experiment_id"],
    isSliced: false,
    chunkRows: 131_072,
  },
  {
    name: "stored_ids",
    title: "event ids",
    key: ["id", "org_id", "is_public"],
    binaryKey: "id",
    isSliced: true,
    chunkRows: 131_072,
  },
];

/** The table that a folder has instead of `stored_ids` until its ids are copied. It is complete until it is dropped. */
export const TEXT_IDS: EventTable = {
  name: "event_ids",
  title: "event ids",
  key: ["org_id", "event_id", "is_public"],
  isSliced: false,
  chunkRows: 131_072,
};

/** Lists the columns that are stored as they were inserted; empty when there is no such table. */
export async function listColumns(engine: EngineClient, table: EventTable): Promise<readonly EventColumn[]> {
  const rows = await engine.rows<[name: string, type: string]>(
    `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table: String}
       AND default_kind NOT IN ('MATERIALIZED', 'ALIAS', 'EPHEMERAL') ORDER BY position`,
    { table: table.name },
  );
  return rows.map(([name, type]) => ({ name, type }));
}

/** Writes a hash expression. Equal rows have equal hashes; different rows almost never do. */
export function rowHashSql(columns: readonly EventColumn[]): string {
  return `cityHash64(${columns.map(toHashable).join(", ")})`;
}

/** Replaces null, which would make the whole hash null, and hashes numbers by their bits. */
function toHashable({ name, type }: EventColumn): string {
  if (type.startsWith("Nullable")) return `ifNull(reinterpretAsUInt64(${name}), 18446744073709551615)`;
  if (type.startsWith("DateTime64")) return `toUnixTimestamp64Milli(${name})`;
  if (type.startsWith("Enum8")) return `toInt8(${name})`;
  return name;
}

/** Writes an expression for the approximate size of a row in transit, in bytes. */
export function rowSizeSql(columns: readonly EventColumn[]): string {
  const texts = columns.filter(({ type }) => type === "String").map(({ name }) => `length(${name})`);
  return [...texts, String(columns.length * 8)].join(" + ");
}
