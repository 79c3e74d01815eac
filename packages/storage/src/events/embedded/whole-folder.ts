import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@assay/domain";

/**
 * Throws a `StartupError` if folders of the engine's tables are missing. The engine would recreate them empty, and results would
 * miss acknowledged events.
 */
export function requireWholeFolder(dataDir: string): void {
  const definitions = join(dataDir, "metadata", "default");
  if (!existsSync(definitions)) {
    const hasTables = globSync("store/*/*/format_version.txt", { cwd: dataDir }).length > 0;
    if (hasTables) throw incomplete(`${definitions} is`);
    return;
  }
  const missing = readdirSync(definitions)
    .filter((name) => name.endsWith(".sql"))
    .flatMap((name) => {
      const id = /^ATTACH TABLE _ UUID '([\da-f-]+)'/.exec(
        readFileSync(join(definitions, name), "utf8"),
      )?.[1];
      const folder = id === undefined ? dataDir : join(dataDir, "store", id.slice(0, 3), id);
      return existsSync(folder) ? [] : [folder];
    });
  if (missing.length > 0) throw incomplete(`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"}`);
}

const incomplete = (what: string): StartupError =>
  new StartupError(`Stored events are damaged: ${what} missing. Restore the data folder from a backup.`);
