import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { putMigratedStores, silent } from "./migrated-stores.ts";

/** A running embedded event engine with the store's tables, empty, as long as nobody gives it back. */
export interface PooledEngine {
  /** As `ASSAY_EVENTS_URL` has it. */
  readonly url: string;
  /** Empties it for the next one. */
  giveBack(): Promise<void>;
}

/** Engines that nobody uses. They end with this process. */
const free: PooledEngine[] = [];

/**
 * Takes an event engine of this process that nobody uses, or starts one. To start and stop an engine takes half a second of CPU, to empty one a
 * twentieth of that, and a run of all tests has two hundred services.
 */
export async function takeEngine(): Promise<PooledEngine> {
  return free.pop() ?? (await startEngine());
}

async function startEngine(): Promise<PooledEngine> {
  const { startEmbeddedClickHouse } = await import("../packages/storage/src/index.ts");
  const folder = mkdtempSync(join(tmpdir(), "assay-pooled-"));
  await putMigratedStores(folder);
  const { url, username, password } = await startEmbeddedClickHouse({
    dataDir: join(folder, "events"),
    log: silent,
  });
  const client = createClient({ url, username, password });
  const withUser = new URL(url);
  Object.assign(withUser, { username, password });
  const engine: PooledEngine = {
    url: withUser.href,
    async giveBack() {
      const tables = await client.query({ query: FILLED_TABLES, format: "JSONCompactEachRow" });
      for (const [table] of await tables.json<[string]>())
        await client.command({ query: `TRUNCATE TABLE ${table}` });
      free.push(engine);
    },
  };
  return engine;
}

const FILLED_TABLES =
  "SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0 AND name != 'schema_version'";
