import { join } from "node:path";
import { type ControlPlane, StartupError } from "@assay/domain";
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
import {
  hasAnalyzedNights,
  type Places,
  requireControlPlane,
  requireFolders,
} from "../data-folder/required-parts.ts";
import { createSealer } from "../data-folder/seal.ts";
import type { Settings } from "../settings.ts";
import { eventsServer } from "./events-address.ts";
import { openControlPlane } from "./open-engines.ts";

export type { EngineReport };

const embedded = (found: string): EngineReport => ({ found, advice: [] });

/** Checks that the data folder has all the parts without which a start would refuse it. */
export async function probeDataFolder(places: Places): Promise<void> {
  if (places.databaseUrl === null) requireControlPlane(places.dataDir);
  // A control plane that cannot be read is a finding of its own probe.
  await requireFolders(places, () => withControlPlane(places, hasAnalyzedNights).catch(() => false));
}

/** Opens the control plane for `work`, as it is: its schema is not brought up to date. */
async function withControlPlane<T>(
  places: Pick<Places, "dataDir" | "databaseUrl">,
  work: (control: ControlPlane) => Promise<T>,
): Promise<T> {
  const folder = dataFolderOnDemand(places.dataDir, () => {});
  const control = await openControlPlane(places, folder, () => "");
  try {
    return await work(control);
  } finally {
    await control.close();
  }
}

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
  const { databaseUrl, masterKey } = settings;
  if (masterKey === null) return embedded("generated, in the data folder");
  if (databaseUrl === null) return embedded("set");
  return withControlPlane(settings, async (control) => {
    let fits: boolean | null;
    try {
      fits = await fitsMasterKey({ control, sealer: createSealer(masterKey) });
    } catch (cause) {
      const doesAnswer = await control.ping().then(
        () => true,
        () => false,
      );
      if (doesAnswer) return embedded("set; the database has no schema yet, so nothing is encrypted with it");
      throw new StartupError("it cannot be checked, because the database does not answer.", { cause });
    }
    if (fits === null) return embedded("set; nothing is encrypted with it yet");
    if (fits) return embedded("set, and it opens the secrets in the database");
    throw new StartupError(
      "ASSAY_MASTER_KEY is not the key that the secrets in this database are encrypted with: set the key that was used at the first start.",
    );
  });
}
