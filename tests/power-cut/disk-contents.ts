import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { clickhouseEventStore, startEmbeddedClickHouse } from "@assay/storage";
import { createClient } from "@clickhouse/client";
import { silentLog } from "../../packages/storage/src/events/embedded/temporary-clickhouse.ts";
import { onCleanUp } from "../e2e/support/clean-up.ts";

/** The tables in which an acknowledged event must be. */
export const LOGS = ["analysis", "raw_events", "stored_ids"];

/** Otherwise what was merged is deleted after a minute, and the engine looks every half minute. */
export const DELETED_SOON = "old_parts_lifetime = 1, cleanup_delay_period = 1, max_cleanup_delay_period = 1";

/** Starts the event engine in `events` of a folder; the clean-up closes it. */
export async function openStore(path: string) {
  const engine = await startEmbeddedClickHouse({ dataDir: join(path, "events"), log: silentLog });
  const { url, username, password } = engine;
  const store = clickhouseEventStore(engine);
  const client = createClient({ url, username, password });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await client.close();
    await store.close();
    await engine.close();
  };
  onCleanUp(close);
  const rows = async (query: string): Promise<unknown[]> =>
    (await client.query({ query, format: "JSONCompactEachRow" })).json();
  return { store, client, rows, close };
}

/** Returns the bodies of the batches in `queue` of a folder. Rejects when the queue cannot be opened. */
export async function batchesOn(path: string): Promise<readonly string[]> {
  const list = [join(import.meta.dirname, "list-batches.ts"), join(path, "queue")];
  const { stdout } = await promisify(execFile)(process.execPath, list, { maxBuffer: 2 ** 28 });
  return stdout.split("\n").filter(Boolean);
}
