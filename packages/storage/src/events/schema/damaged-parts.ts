import { StartupError } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";

/** Tables that an analysis recomputes from the events when they are empty. */
const COMPUTED_TABLES = ["unit_states", "unit_days", "day_folds"];

/**
 * Throws a `StartupError` if the embedded engine has detached damaged parts of its tables. The engine does so silently, and
 * results would then miss acknowledged events. Tables that are computed from events are emptied instead.
 */
export async function requireWholeTables(engine: EngineClient): Promise<void> {
  const damaged = await engine.rows<[table: string, folder: string]>(
    `SELECT table, path FROM system.detached_parts
     WHERE database = currentDatabase() AND startsWith(reason, 'broken') ORDER BY table, path`,
    {},
  );
  const lost = damaged.filter(([table]) => !COMPUTED_TABLES.includes(table));
  if (lost.length > 0) {
    const tables = [...new Set(lost.map(([table]) => table))].join(", ");
    throw new StartupError(
      `Stored events are damaged: ${lost.length} ${lost.length === 1 ? "part" : "parts"} of ${tables}. Restore the data folder from a backup. To go on without these events, delete ${lost.map(([, folder]) => folder).join(", ")}.`,
    );
  }
  if (damaged.length === 0) return;
  // All three, because each records what is up to date in another.
  for (const table of COMPUTED_TABLES) await engine.command(`TRUNCATE TABLE IF EXISTS ${table}`);
  for (const table of new Set(damaged.map(([table]) => table)))
    await engine.command(`ALTER TABLE ${table} DROP DETACHED PARTITION ALL`, {}, { allow_drop_detached: 1 });
}
