import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { clickhouseEventStore } from "../packages/storage/src/events/clickhouse-event-store.ts";
import { startEmbeddedClickHouse } from "../packages/storage/src/events/embedded/embedded-clickhouse.ts";

/** Names the folder of this run. */
const VARIABLE = "ASSAY_TEST_MIGRATED_EVENTS";
const silent = { info() {}, warn() {}, error() {} };

/** Makes room for the run's copy. The first test file that needs it makes it: most runs of a few files do not. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "assay-migrated-"));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Puts the embedded event store's folder, migrated and empty, into a new data folder. Making one costs half a second of CPU, which a
 * hundred services would pay each.
 */
export async function putMigratedEvents(dataDir: string): Promise<void> {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return;
  const made = join(folder, "events");
  if (!existsSync(made)) await make(made);
  cpSync(made, join(dataDir, "events"), { recursive: true, verbatimSymlinks: true });
}

async function make(folder: string): Promise<void> {
  const own = mkdtempSync(join(dirname(folder), "making-"));
  const engine = await startEmbeddedClickHouse({ dataDir: own, log: silent });
  const store = clickhouseEventStore(engine);
  await store.migrate();
  await store.close();
  await engine.close();
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(own, { recursive: true });
  }
}
