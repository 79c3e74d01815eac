import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Names the folder of this run. */
const VARIABLE = "ASSAY_TEST_MIGRATED_STORES";
/** A log that nobody reads. */
export const silent = { info() {}, warn() {}, error() {} };

/** Makes room for the run's copy. The first test file that needs it makes it: most runs of a few files do not. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "assay-migrated-"));
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Puts the embedded event store and the control plane, migrated and empty, into a new data folder. Making them costs half a second of
 * CPU, which two hundred services would pay each.
 */
export async function putMigratedStores(dataDir: string): Promise<void> {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return;
  const made = join(folder, "stores");
  if (!existsSync(made)) await make(made);
  cpSync(made, dataDir, { recursive: true, verbatimSymlinks: true });
}

async function make(folder: string): Promise<void> {
  // Loading them takes half a second of CPU, and most files that need the copy only start programs.
  const { clickhouseEventStore, openSqliteControlPlane, startEmbeddedClickHouse } = await import(
    "../packages/storage/src/index.ts"
  );
  const own = mkdtempSync(join(dirname(folder), "making-"));
  const engine = await startEmbeddedClickHouse({ dataDir: join(own, "events"), log: silent });
  const store = clickhouseEventStore(engine);
  await store.migrate();
  await store.close();
  await engine.close();
  const control = openSqliteControlPlane({ file: join(own, "control.sqlite"), newId: randomUUID });
  await control.migrate();
  await control.close();
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(own, { recursive: true });
  }
}
