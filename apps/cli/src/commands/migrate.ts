import { migrateStores, parseSettings } from "@assay/server";
import { createLogger } from "../logger.ts";

/** Brings the schemas of the control plane and the event store up to date. */
export async function migrate(): Promise<void> {
  await migrateStores(parseSettings(process.env), createLogger("warn"));
  console.log("The control plane and the event store are up to date.");
}
