import type { EngineClient } from "../events/engine/engine-client.ts";
import { type EventColumn, type EventTable, rowHashSql, rowSizeSql } from "./event-table.ts";

/** The embedded engine holds a whole answer in memory. */
const CHUNK_BYTES = 24 * 1024 * 1024;
/** With blocks of the default size, a chunk would read twice as many rows as it has. */
const READ_SETTINGS = { max_block_size: "8192" };

/** The sorting key of a row. */
type Key = readonly string[];

/** Rows of a slice with keys above `after` (null: from the first) and up to `upTo`. */
export interface ChunkRange {
  readonly slice: string | null;
  readonly after: Key | null;
  readonly upTo: Key;
}

/** The number of rows and the sum of their hashes. Equal rows in any order have equal tallies. */
export interface Tally {
  readonly rows: number;
  readonly hash: string;
}

/** A table with the columns of both source and target. */
export interface ChunkedTable {
  readonly table: EventTable;
  readonly columns: readonly EventColumn[];
}

/** Walks through a table in the order of its key, and tallies chunks of limited size. */
export async function* listChunks(
  engine: EngineClient,
  chunked: ChunkedTable,
): AsyncGenerator<{ readonly range: ChunkRange; readonly tally: Tally }> {
  for (const slice of await listSlices(engine, chunked.table)) {
    let after: Key | null = null;
    for (;;) {
      const next = await findChunk(engine, chunked, { slice, after });
      if (next === null) break;
      yield { range: { slice, after, upTo: next.upTo }, tally: next.tally };
      after = next.upTo;
    }
  }
}

async function listSlices(
  engine: EngineClient,
  { name, isSliced }: EventTable,
): Promise<readonly (string | null)[]> {
  if (!isSliced) return [null];
  const rows = await engine.rows<[string]>(
    `SELECT DISTINCT _partition_id AS slice FROM ${name} ORDER BY slice`,
    {},
  );
  return rows.map(([slice]) => slice);
}

/** Finds the end of the chunk after a key in one pass over its rows, which keeps only keys in memory. */
async function findChunk(
  engine: EngineClient,
  { table, columns }: ChunkedTable,
  range: Omit<ChunkRange, "upTo">,
): Promise<{ readonly upTo: Key; readonly tally: Tally } | null> {
  const key = table.key.join(", ");
  const { sql, params } = conditionOf(table, range);
  const last = table.key.map((column, i) => shown(table, column, `last.${i + 1}`));
  const [found] = await engine.rows<[rows: number, hash: string, upTo: string[]]>(
    `SELECT rows, toString(sum), tuple(${last.join(", ")}) FROM (
     SELECT count() AS rows, sum(hash) AS sum, max(tuple(${key})) AS last FROM (
       SELECT ${key}, hash, sum(size) OVER (ORDER BY ${key} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
       FROM (SELECT ${key}, ${rowHashSql(columns)} AS hash, ${rowSizeSql(columns)} AS size
             FROM ${table.name} FINAL WHERE ${sql} ORDER BY ${key} LIMIT ${table.chunkRows}))
     WHERE before < ${CHUNK_BYTES})`,
    params,
    READ_SETTINGS,
  );
  if (found === undefined || found[0] === 0) return null;
  const [rows, hash, upTo] = found;
  return { upTo, tally: { rows, hash } };
}

/** Tallies a store's rows within a range. */
export async function tallyChunk(
  engine: EngineClient,
  { table, columns }: ChunkedTable,
  range: ChunkRange,
): Promise<Tally> {
  const { sql, params } = conditionOf(table, range);
  const [found] = await engine.rows<[rows: number, hash: string]>(
    `SELECT count(), toString(sum(${rowHashSql(columns)})) FROM ${table.name} FINAL WHERE ${sql}`,
    params,
  );
  return { rows: found?.[0] ?? 0, hash: found?.[1] ?? "0" };
}

/** Writes a key column in a form that JSON can express. */
function shown({ binaryKey }: EventTable, column: string, value: string): string {
  return column === binaryKey ? `hex(${value})` : value;
}

/** Writes the condition of a range so that the engine can use its partitions and its primary index. */
export function conditionOf(
  table: EventTable,
  range: Omit<ChunkRange, "upTo"> & Partial<Pick<ChunkRange, "upTo">>,
): { readonly sql: string; readonly params: Readonly<Record<string, unknown>> } {
  const conditions: string[] = [];
  const params: Record<string, unknown> = {};
  if (table.isSliced) {
    conditions.push("_partition_id = {slice: String}");
    params.slice = range.slice;
  }
  const border = (bound: Key | null | undefined, name: string, sign: string, last: string) => {
    if (!bound) return;
    for (const [i, value] of bound.entries()) params[`${name}_${i}`] = value;
    conditions.push(byOrder(table, name, { sign, last }));
  };
  border(range.after, "after", ">", ">");
  border(range.upTo, "up_to", "<", "<=");
  return { sql: conditions.join(" AND ") || "1", params };
}

/** Compares keys column by column, because the primary index cannot compare tuples. */
function byOrder(
  { key, binaryKey }: EventTable,
  name: string,
  { sign, last }: { readonly sign: string; readonly last: string },
): string {
  const parameter = (i: number) =>
    key[i] === binaryKey ? `toFixedString(unhex({${name}_${i}: String}), 16)` : `{${name}_${i}: String}`;
  const cases = key.map((column, i) =>
    [
      ...key.slice(0, i).map((earlier, j) => `${earlier} = ${parameter(j)}`),
      `${column} ${i === key.length - 1 ? last : sign} ${parameter(i)}`,
    ].join(" AND "),
  );
  return `(${cases.map((one) => `(${one})`).join(" OR ")})`;
}
