import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";
import { onCluster } from "../engine/event-engine.ts";

const NAME = "received";
const IN_BACKGROUND: ClickHouseSettings = { mutations_sync: "0" };

/**
 * Gives the ids an index of when they were received, so that a count of a month passes over the others. New parts have it from the insert
 * on; the engine adds it to older parts in the background, and a count reads those whole meanwhile. It may run again, and stop anywhere.
 */
export async function addIdIndex(engine: EngineClient, cluster: string | null): Promise<void> {
  const table = cluster === null ? "event_ids" : "event_ids_local";
  const altered = `ALTER TABLE ${table}${onCluster(cluster)}`;
  const count = async (sql: string) => {
    const [row] = await engine.rows<[number]>(
      `SELECT count() FROM ${sql} AND database = currentDatabase() AND table = {table: String}`,
      { table, index: NAME },
    );
    return row?.[0] ?? 0;
  };
  if ((await count("system.data_skipping_indices WHERE name = {index: String}")) === 0)
    await engine.command(`${altered} ADD INDEX IF NOT EXISTS ${NAME} received_at TYPE minmax GRANULARITY 1`);
  if ((await count("system.parts WHERE active AND rows > 0 AND secondary_indices_marks_bytes = 0")) === 0)
    return;
  const running =
    "system.mutations WHERE NOT is_done AND command LIKE concat('%MATERIALIZE INDEX ', {index: String}, '%')";
  if ((await count(running)) === 0)
    await engine.command(`${altered} MATERIALIZE INDEX ${NAME}`, {}, IN_BACKGROUND);
}
