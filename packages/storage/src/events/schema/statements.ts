import type { EngineClient } from "../engine/engine-client.ts";
import { onCluster } from "../engine/event-engine.ts";

// Syncs rows before the queue acks them. Without these settings, an acked batch is only in the page cache.
export const DURABLE = "fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 60";

const SYNCED_MERGES = "min_rows_to_fsync_after_merge = 1";

/** Also syncs what merges and mutations write (`syncedSql`). */
export const SYNCED = `${DURABLE}, ${SYNCED_MERGES}`;

/**
 * Syncs inserts (tables of the first versions did not) and what merges and mutations write. A minute after a merge, the synced
 * parts of the inserts are deleted, so without this a power cut could destroy the only copy of acknowledged rows.
 */
export const syncedSql = (table: string): string =>
  `ALTER TABLE ${table} MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1, ${SYNCED_MERGES}`;

/** Spreads a table over the `…_local` tables of a cluster. */
export function distributedSql(cluster: string, table: string, shardedBy: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table}${onCluster(cluster)} AS ${table}_local
    ENGINE = Distributed('${cluster}', currentDatabase(), '${table}_local', ${shardedBy})`;
}

/** One change of a step: a statement, or a function that runs several. */
export type Change = string | ((engine: EngineClient) => Promise<void>);

export type Step = readonly Change[];

/** Applies the changes in order. */
export async function applyChanges(engine: EngineClient, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    if (typeof change === "string") await engine.command(change);
    else await change(engine);
  }
}
