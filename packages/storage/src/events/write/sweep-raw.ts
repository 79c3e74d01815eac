import type { RetentionRule } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";

/** A server refuses a form field above 128 KiB. */
const ORGS_PER_PARAMETER = 2_000;

/**
 * Deletes expired raw events from the disk and returns the number of rows. The engine deletes the files it replaces after
 * a minute, or within ten when idle. Only partitions (days of receipt) with expired rows are rewritten; a partition whose
 * rows all expire is dropped. The next sweep completes one that was interrupted.
 */
export async function sweepRaw(engine: EventEngine, rules: readonly RetentionRule[]): Promise<number> {
  const expired = expiredBy(rules);
  if (expired === null) return 0;
  const partitions = await engine.rows<Partition>(
    `SELECT id, sum(gone) FROM ${engine.perShard(
      `SELECT _partition_id AS id, count() AS gone FROM raw_events WHERE ${expired.sql} GROUP BY id`,
    )} GROUP BY id ORDER BY id`,
    expired.params,
  );
  let removed = 0;
  for (const partition of partitions) {
    await sweepPartition(engine, partition, expired);
    removed += partition[1];
  }
  return removed;
}

/** A day of receipt and the number of its expired rows. */
type Partition = readonly [id: string, gone: number];

/** Writes the condition of expired rows; null when no rule names an org. */
function expiredBy(rules: readonly RetentionRule[]): BoundQuery | null {
  const conditions: string[] = [];
  const params: Record<string, unknown> = {};
  for (const { orgIds, receivedBefore } of rules) {
    for (let start = 0; start < orgIds.length; start += ORGS_PER_PARAMETER) {
      const i = conditions.length;
      params[`orgs_${i}`] = orgIds.slice(start, start + ORGS_PER_PARAMETER);
      params[`before_${i}`] = receivedBefore;
      conditions.push(
        `(org_id IN {orgs_${i}: Array(String)} AND received_at < fromUnixTimestamp64Milli({before_${i}: Int64}))`,
      );
    }
  }
  return conditions.length === 0 ? null : { sql: conditions.join(" OR "), params };
}

/**
 * An expired day gets no new rows, because received events go to today's partition, so the drop loses none. Only a demo
 * that is being loaded at this moment could lose raw rows of its past days; its analysis log keeps them.
 */
async function sweepPartition(
  engine: EventEngine,
  [id, gone]: Partition,
  expired: BoundQuery,
): Promise<void> {
  const [total] = await engine.rows<[number]>(
    `SELECT sum(all) FROM ${engine.perShard(
      "SELECT count() AS all FROM raw_events WHERE _partition_id = {id: String}",
    )}`,
    { id },
  );
  const alter = `ALTER TABLE ${engine.onNodes("raw_events")}`;
  if (total?.[0] === gone) {
    await engine.command(
      `${alter} DROP PARTITION ID {id: String}`,
      { id },
      { max_partition_size_to_drop: "0" },
    );
    return;
  }
  await engine.command(
    `${alter} DELETE IN PARTITION ID {id: String} WHERE ${expired.sql}`,
    { id, ...expired.params },
    { mutations_sync: "1" },
  );
}
