import { DAY_MS } from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import { type EventEngine, findPlacement } from "../engine/event-engine.ts";
import { COPIED_IDS, type CopyState, dropEventIds, loadCopyState, noteCopy } from "../schema/id-tables.ts";

/** Approximate number of ids that one statement copies: seconds of one thread, and at most 200 MB. */
const CHUNK_ROWS = 1_000_000;
const HOUR_MS = 3_600_000;
const COPY_SETTINGS: ClickHouseSettings = {
  max_threads: 1,
  max_partitions_per_insert_block: "0",
  min_insert_block_size_rows: "262144",
  // Otherwise each shard of a cluster would keep the rows that it read, and an id's rows could be on two shards.
  parallel_distributed_insert_select: "0",
};
/** Clocks of other machines may be ahead. */
const AHEAD_MS = DAY_MS;
/** The longest time that a batch may wait in the queue before it is stored. */
const WAIT_MS = 7 * DAY_MS;
/** How long processes of the previous version may run beside this one, or be restored, after the new table is first read. */
export const BOTH_MS = DAY_MS;

/**
 * Copies a chunk of `event_ids` into `stored_ids`, in the order of receipt. Returns whether there is more to do at once. A copied row
 * merges with an equal one, so a chunk may be interrupted and repeated.
 *
 * Ids stored meanwhile reach both tables through a view, whatever version stores them. Once the earlier rows are copied, `stored_ids` is
 * read. A day later, `event_ids` is dropped. Before that, the ids received since the copy began are copied again, because a process that
 * is killed between the table and its view leaves ids only in the table.
 */
export async function copyIds(engine: EventEngine, now: number, chunkRows = CHUNK_ROWS): Promise<boolean> {
  const state = await loadCopyState(engine);
  const { begun, complete } = state;
  if (begun === null) return false;
  if (complete === null) {
    const before = { from: state.copied ?? 0, until: begun + AHEAD_MS, chunkRows };
    if (await copyNext(engine, "copied", before)) return true;
    await noteCopy(engine, "complete", now);
    return false;
  }
  if (now < complete + BOTH_MS) return false;
  const since = { from: state.again ?? begun - WAIT_MS, until: now + AHEAD_MS, chunkRows };
  if (await copyNext(engine, "again", since)) return true;
  const { cluster } = await findPlacement(engine);
  await dropEventIds(engine, cluster);
  return false;
}

interface Range {
  readonly from: number;
  readonly until: number;
  readonly chunkRows: number;
}

const RECEIVED = `received_at >= fromUnixTimestamp64Milli({from: Int64})
       AND received_at < fromUnixTimestamp64Milli({until: Int64})`;

/** Copies the first chunk of a range and records it. Returns false when nothing was received in the range. */
async function copyNext(
  engine: EventEngine,
  phase: keyof CopyState,
  { from, until, chunkRows }: Range,
): Promise<boolean> {
  const hours = await engine.rows<[hour: number, rows: number]>(
    `SELECT toUnixTimestamp(toStartOfHour(received_at)) * 1000 AS hour, count() FROM event_ids
     WHERE ${RECEIVED} GROUP BY hour ORDER BY hour`,
    { from, until },
  );
  if (hours.length === 0) return false;
  const chunk = { from, until: endOfChunk(hours, chunkRows) };
  await engine.insertSelected(
    "stored_ids",
    ["id", "org_id", "received_at", "is_public"],
    { sql: `SELECT ${COPIED_IDS} FROM event_ids WHERE ${RECEIVED}`, params: chunk },
    COPY_SETTINGS,
  );
  await noteCopy(engine, phase, chunk.until);
  return true;
}

/** Returns the end of the first hours that together have at most this many rows, or of the first hour if it has more. */
export function endOfChunk(hours: readonly (readonly [hour: number, rows: number])[], most: number): number {
  let rows = 0;
  let end = 0;
  for (const [hour, count] of hours) {
    rows += count;
    if (end > 0 && rows > most) break;
    end = hour + HOUR_MS;
  }
  return end;
}
