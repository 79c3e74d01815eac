import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "@assay/domain";
import type { Settings } from "../settings.ts";
import { DataFolderError } from "./data-folder.ts";
import { CONTROL_FILE, EVENTS_FOLDER, QUEUE_FOLDER } from "./layout.ts";

/** Where the data is: in the data folder, or on the servers whose addresses are not null. */
export type Places = Pick<Settings, "dataDir" | "databaseUrl" | "eventsUrl" | "queueUrls">;

/** The size of a file in bytes; 0 when it does not exist. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Throws a `DataFolderError` when the folder has events but no control plane. A start would create a new installation, to which these events
 * do not belong.
 */
export function requireControlPlane(path: string): void {
  const files = [CONTROL_FILE, `${CONTROL_FILE}-wal`].map((name) => join(path, name));
  if (!existsSync(join(path, EVENTS_FOLDER)) || files.some((file) => sizeOf(file) > 0)) return;
  throw new DataFolderError(
    `The data folder ${path} has events, but its ${CONTROL_FILE} (organizations, experiments, keys) is missing or empty: restore it from a backup of the same time, or set ASSAY_DATA_DIR to an empty folder.`,
  );
}

/** Checks the folders of the events and of the queue, if the settings keep them in the data folder. Throws as `requireFolder` does. */
export async function requireFolders(
  { dataDir, databaseUrl, eventsUrl, queueUrls }: Places,
  hasNights: () => Promise<boolean>,
): Promise<void> {
  if (eventsUrl === null) await requireFolder(dataDir, EVENTS_FOLDER, hasNights);
  // A queue in the folder serves one process only, and a database server is there for several.
  if (queueUrls === null && databaseUrl === null) await requireFolder(dataDir, QUEUE_FOLDER, hasNights);
}

/**
 * Throws a `DataFolderError` when nights were analyzed, and the folder of the events or of the queue is missing. A start would create an
 * empty one, and nobody would notice the loss.
 */
export async function requireFolder(
  path: string,
  name: typeof EVENTS_FOLDER | typeof QUEUE_FOLDER,
  hasNights: () => Promise<boolean>,
): Promise<void> {
  const part = join(path, name);
  // An empty folder is the user's decision to go on without the part; an empty file is a loss, which LMDB takes for a new queue.
  const queueFile = join(part, "data.mdb");
  const isEmptyQueue = name === QUEUE_FOLDER && existsSync(queueFile) && sizeOf(queueFile) === 0;
  if ((existsSync(part) && !isEmptyQueue) || !(await hasNights())) return;
  const [lack, loss] =
    name === EVENTS_FOLDER
      ? ["events are", "the events"]
      : ["queue of accepted events is", "the events that waited in the queue"];
  throw new DataFolderError(
    `The data folder ${path} has results of nights, but its ${lack} missing: restore it from a backup, or create an empty folder ${part} to go on without ${loss}.`,
  );
}

/** Whether a night of any organization was analyzed. */
export async function hasAnalyzedNights({
  orgs,
  pipelineRuns,
}: Pick<ControlPlane, "orgs" | "pipelineRuns">): Promise<boolean> {
  for (const { id } of await orgs.list()) if ((await pipelineRuns.listLatest(id)).length > 0) return true;
  return false;
}
