import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";

/** Which log is waited for: the raw one has a part per day at least, and the engine takes a tenth of a second for each. */
const LOGS = [
  { table: "analysis", sync: "1" },
  { table: "raw_events", sync: "0" },
] as const;

/**
 * Removes the events of an experiment from both logs. Rows are hidden by a mask, for writing the parts anew would take the
 * longer the more others have stored in them; the engine leaves them out when it merges the part. The raw log follows in the
 * background, over restarts, too. A removal that is cut off is finished by the next.
 */
export async function removeExperiment(
  engine: EventEngine,
  { orgId, experimentId }: { readonly orgId: string; readonly experimentId: string },
): Promise<void> {
  const experiment = { org_id: orgId, experiment_id: experimentId };
  for (const { table, sync } of LOGS) {
    const found = await engine.rows(`SELECT 1 FROM ${table} WHERE ${OF_EXPERIMENT} LIMIT 1`, experiment);
    if (found.length === 0) continue;
    await engine.command(`DELETE FROM ${engine.onNodes(table)} WHERE ${OF_EXPERIMENT}`, experiment, {
      lightweight_deletes_sync: sync,
    });
  }
}
