import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "@assay/storage";
import { onCleanup } from "./cleanup.ts";
import { isAlive } from "./process-stat.ts";
import { tempFolder } from "./temp-folder.ts";

const silent = { info() {}, warn() {}, error() {} };

/** Starts only the event engine, as the service does, on an empty folder unless one is given. */
export async function startEngine(dataDir?: string): Promise<EmbeddedClickHouse> {
  const engine = await startEmbeddedClickHouse({ dataDir: dataDir ?? (await tempFolder()), log: silent });
  onCleanup(async () => {
    if (engine.pid !== null && isAlive(engine.pid)) await engine.close();
  });
  return engine;
}
