import { expect } from "vitest";
import type { EngineClient } from "../events/engine/engine-client.ts";
import { STORED_TABLES } from "../events/schema/schema.ts";

const SETTINGS = ["fsync_after_insert", "fsync_part_directory", "min_rows_to_fsync_after_merge"];

/** Expects that every table with rows syncs what inserts and merges write. On a cluster, their names end in `_local`. */
export async function expectSyncedTables(engine: EngineClient, suffix: "" | "_local"): Promise<void> {
  const synced = await engine.rows<[string]>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND
       arrayAll(setting -> position(engine_full, setting || ' = 1') > 0, {settings: Array(String)})`,
    { settings: SETTINGS },
  );
  expect(synced.flat().sort()).toEqual(STORED_TABLES.map((table) => table + suffix).sort());
}
