import { join } from "node:path";
import { StartupError } from "@assay/domain";
import {
  type EngineReport,
  probeClickHouse,
  probeJetStream,
  probeLmdb,
  probePostgres,
  probeSqlite,
  requireWholeFolder,
} from "@assay/storage/probes";
import { dataFolderOnDemand } from "../data-folder/data-folder.ts";
import { fitsMasterKey } from "../data-folder/installation-secrets.ts";
import { CONTROL_FILE, EVENTS_FOLDER, QUEUE_FOLDER } from "../data-folder/layout.ts";
import { createSealer } from "../data-folder/seal.ts";
import type { Settings } from "../settings.ts";
import { eventsServer } from "./events-address.ts";
import { openControlPlane } from "./open-engines.ts";

export type { EngineReport };

const embedded = (found: string): EngineReport => ({ found, advice: [] });

/** Checks the engine of the control plane. Like the other probes, throws a one-line error that says what to do. */
export async function probeControlPlane({
  databaseUrl,
  dataDir,
}: Pick<Settings, "databaseUrl" | "dataDir">): Promise<EngineReport> {
  if (databaseUrl !== null) return probePostgres(databaseUrl);
  return embedded(`SQLite in the data folder: ${probeSqlite(join(dataDir, CONTROL_FILE))}`);
}

/** Checks a ClickHouse server. */
export function probeEvents(eventsUrl: string): Promise<EngineReport> {
  return probeClickHouse(eventsServer(eventsUrl));
}

/** Checks that the folder of the embedded engine has all of its tables. */
export const probeEventsFolder = ({ dataDir }: Pick<Settings, "dataDir">): void =>
  requireWholeFolder(join(dataDir, EVENTS_FOLDER));

/** Checks the engine of the ingest queue. */
export async function probeQueue({
  queueUrls,
  dataDir,
}: Pick<Settings, "queueUrls" | "dataDir">): Promise<EngineReport> {
  if (queueUrls !== null) return probeJetStream(queueUrls);
  return embedded(`LMDB in the data folder: ${await probeLmdb(join(dataDir, QUEUE_FOLDER))}`);
}

/** Checks that the master key opens the secrets in the database. */
export async function probeMasterKey(
  settings: Pick<Settings, "databaseUrl" | "masterKey" | "dataDir">,
): Promise<EngineReport> {
  const { databaseUrl, masterKey, dataDir } = settings;
  if (masterKey === null) return embedded("generated, in the data folder");
  if (databaseUrl === null) return embedded("set");
  const control = await openControlPlane(
    settings,
    dataFolderOnDemand(dataDir, () => {}),
    () => "",
  );
  try {
    const fits = await fitsMasterKey({ control, sealer: createSealer(masterKey) });
    if (fits === null) return embedded("set; nothing is encrypted with it yet");
    if (fits) return embedded("set, and it opens the secrets in the database");
  } catch (cause) {
    const doesAnswer = await control.ping().then(
      () => true,
      () => false,
    );
    if (doesAnswer) return embedded("set; the database has no schema yet, so nothing is encrypted with it");
    throw new StartupError("it cannot be checked, because the database does not answer.", { cause });
  } finally {
    await control.close();
  }
  throw new StartupError(
    "ASSAY_MASTER_KEY is not the key that the secrets in this database are encrypted with: set the key that it was started with first.",
  );
}
