import type { EngineClient } from "../events/engine/engine-client.ts";

/** A column with its type, as the engine tells it. */
export interface EventColumn {
  readonly name: string;
  readonly type: string;
}

/** A table of events, and what a move needs to know of it. */
export interface EventTable {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** The sorting key: rows with the same key become one. */
  readonly key: readonly string[];
  /** Splits it into what lies together on disk; null: it lies together as a whole. */
  readonly slice: string | null;
  /** Rows of a chunk, at most. */
  readonly chunkRows: number;
}

const BY_USER = ["org_id", "experiment_id", "user_id", "event_id"];

/**
 * What is copied, in this order. Raw events fill the analysis log of the target as they come, which leaves to copy of it
 * only what outlived its raw events. The ids are last, as in every append.
 */
export const EVENT_TABLES: readonly EventTable[] = [
  {
    name: "raw_events",
    title: "raw events",
    key: BY_USER,
    slice: "toYYYYMMDD(received_at)",
    chunkRows: 32_768,
  },
  { name: "analysis", title: "analysis log", key: BY_USER, slice: null, chunkRows: 131_072 },
  { name: "event_ids", title: "event ids", key: ["org_id", "event_id"], slice: null, chunkRows: 131_072 },
];

/** Lists the columns that are stored as they were inserted; empty when there is no such table. */
export async function listColumns(engine: EngineClient, table: EventTable): Promise<readonly EventColumn[]> {
  const rows = await engine.rows<[name: string, type: string]>(
    `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table: String}
       AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position`,
    { table: table.name },
  );
  return rows.map(([name, type]) => ({ name, type }));
}

/** Writes an expression that is the same number for equal rows and hardly ever for others. */
export function rowHashSql(columns: readonly EventColumn[]): string {
  return `cityHash64(${columns.map(toHashable).join(", ")})`;
}

/** A null would make the whole hash null; a number goes by its bits. */
function toHashable({ name, type }: EventColumn): string {
  if (type.startsWith("Nullable")) return `ifNull(reinterpretAsUInt64(${name}), 18446744073709551615)`;
  if (type.startsWith("DateTime64")) return `toUnixTimestamp64Milli(${name})`;
  if (type.startsWith("Enum8")) return `toInt8(${name})`;
  return name;
}

/** Writes an expression for about how many bytes a row takes on its way. */
export function rowSizeSql(columns: readonly EventColumn[]): string {
  const texts = columns.filter(({ type }) => type === "String").map(({ name }) => `length(${name})`);
  return [...texts, String(columns.length * 8)].join(" + ");
}
