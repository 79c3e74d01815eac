import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";

/** Waits only for what analyses read: the raw log has at least one part per day, and each takes a tenth of a second. */
const TABLES = [
  { table: "analysis", sync: "1" },
  { table: "unit_states", sync: "1" },
  { table: "raw_events", sync: "0" },
] as const;

/**
 * Removes an experiment's events from both logs, and its units' states. A mask hides the rows, and the engine drops them at the next
 * merge: rewriting the parts would take longer the more other experiments share them. The raw log follows in the background, also after
 * a restart. The next call finishes a removal that was interrupted.
 */
export async function removeExperiment(
  engine: EventEngine,
  { orgId, experimentId }: { readonly orgId: string; readonly experimentId: string },
): Promise<void> {
  const experiment = { org_id: orgId, experiment_id: experimentId };
  for (const { table, sync } of TABLES) {
    const found = await engine.rows(`SELECT 1 FROM ${table} WHERE ${OF_EXPERIMENT} LIMIT 1`, experiment);
    if (found.length === 0) continue;
    await engine.command(`DELETE FROM ${engine.onNodes(table)} WHERE ${OF_EXPERIMENT}`, experiment, {
      lightweight_deletes_sync: sync,
    });
  }
}
