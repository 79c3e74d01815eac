import { migrateStores, parseSettings } from "@assay/server";
import { CommandError } from "../command-error.ts";
import { createLogger } from "../logger.ts";
import { moveDataFolder } from "../move-data-folder.ts";
import { readOptions } from "../options.ts";

/**
 * Brings the schemas of the control plane and the event store up to date; with `--cluster`, lays new tables for events
 * on a cluster of ClickHouse; with `--from`, fills the stores from a data folder.
 */
export async function migrate(args: readonly string[]): Promise<void> {
  const { options } = readOptions(args, ["from", "cluster"]);
  const settings = parseSettings(process.env);
  if (options.from !== undefined && options.cluster !== undefined)
    throw new CommandError("One after the other: first migrate --cluster NAME, then migrate --from DIR.");
  if (options.from !== undefined) return moveDataFolder(options.from, settings);
  await migrateStores(settings, createLogger("warn"), options.cluster);
  console.log("The control plane and the event store are up to date.");
}
