import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExperimentUnit } from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";
import { unitColumn } from "../sql/conditions.ts";

/** Number of events to read at once. The engine and this process keep them in memory. */
export const EVENTS_PER_PART = 500_000;
/** Each part hashes the users of all rows. With this many parts, that takes about as long as everything else. */
const MOST_PARTS = 64;

/**
 * Writes the hash of a unit. An experiment's units are analyzed in this order, the same every night, and a sample takes the first ones.
 * Bytes are swapped because earlier versions compared the hash from its lowest byte up: the sample and its order must stay the same.
 */
export function hashSql(unit: ExperimentUnit, experimentId = "{experiment_id: String}"): string {
  return `byteSwap(sipHash64(${experimentId}, ${unitColumn(unit)}))`;
}

/** Identifies the user of a unit by a whole number that is exact in a double. */
export const USER_KEY = "toFloat64(bitShiftRight(sipHash64({experiment_id: String}, user_id), 11))";

/** The users whose hashes are in the `index`th of `of` equal ranges. */
export interface Part {
  readonly index: number;
  readonly of: number;
}

/** All users. */
export const WHOLE: Part = { index: 0, of: 1 };

/** Divides users by hash so that the events of each part fit in memory. Almost always returns one part; without events, none. */
export function partsFor(events: number, eventsPerPart = EVENTS_PER_PART): readonly Part[] {
  const of = Math.min(MOST_PARTS, Math.ceil(events / eventsPerPart));
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

/** Writes the condition that a row belongs to a part, beginning with AND; empty for all users. */
export function andOfPartSql({ of }: Part, hash: string): string {
  if (of === 1) return "";
  return ` AND bitShiftRight(bitShiftRight(${hash}, 32) * {parts: UInt64}, 32) = {part: UInt64}`;
}

/** Returns whether a unit's hash belongs to a part. */
export function isOfPart(hash: bigint, { index, of }: Part): boolean {
  return of === 1 || Number(((hash >> 32n) * BigInt(of)) >> 32n) === index;
}

/** Binds the parameters of `andOfPartSql`. */
export function partParams({ index, of }: Part): Record<string, unknown> {
  return of === 1 ? {} : { part: index, parts: of };
}

/** Larger groups, and sorted rows, are spilled to disk. */
const BYTES_IN_MEMORY = "400000000";

/** One thread, so that the other threads serve ingest. No aggregation in key order: for that, the engine merges parts row by row. */
export const ON_ONE_THREAD: ClickHouseSettings = {
  max_threads: 1,
  join_algorithm: "hash",
  max_bytes_before_external_group_by: BYTES_IN_MEMORY,
  max_bytes_before_external_sort: BYTES_IN_MEMORY,
};

/** Runs a query of users' rows in a part on each shard, and returns the rows ordered by the first column, `hash`. */
export async function readPart(
  engine: EventEngine,
  part: Part,
  { sql, params }: BoundQuery,
): Promise<RowBinaryReader> {
  return new RowBinaryReader(
    await engine.rowBinary(engine.fromShards(sql, "hash"), { ...params, ...partParams(part) }, ON_ONE_THREAD),
  );
}

/** Bytes of rows to read before yielding to other work of this process: a few milliseconds. */
const BYTES_PER_TURN = 512 * 1024;

/** Calls `read` for row after row; it must read one. */
export async function eachRow(rows: RowBinaryReader, read: () => void): Promise<void> {
  let turnEnds = BYTES_PER_TURN;
  while (!rows.isAtEnd()) {
    read();
    if (rows.position < turnEnds) continue;
    turnEnds = rows.position + BYTES_PER_TURN;
    await nextTurn();
  }
}
