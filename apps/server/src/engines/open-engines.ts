import { type ControlPlane, type IngestQueue, isStorageUnavailable } from "@assay/domain";
import {
  clickhouseEventStore,
  openLmdbQueue,
  openSqliteControlPlane,
  startEmbeddedClickHouse,
} from "@assay/storage";
import type { Logger } from "pino";
import { type DataFolder, DataFolderError } from "../data-folder/data-folder.ts";
import { CONTROL_FILE, EVENTS_FOLDER, QUEUE_FOLDER } from "../data-folder/layout.ts";
import { hasAnalyzedNights, requireControlPlane, requireFolders } from "../data-folder/required-parts.ts";
import { type Settings, SettingsError } from "../settings.ts";
import type { Teardown } from "../teardown.ts";
import { type EventsAddress, eventsServer } from "./events-address.ts";

interface EngineParts {
  readonly log: Logger;
  readonly teardown: Teardown;
  readonly newId: () => string;
  /** The ClickHouse cluster on which an empty event store gets its tables. */
  readonly eventsCluster?: string | undefined;
}

/** Opens the engines that the settings name and brings their schemas up to date. `teardown` closes them. */
export async function openEngines(
  settings: Settings,
  folder: DataFolder,
  { log, teardown, newId, eventsCluster }: EngineParts,
) {
  if (eventsCluster !== undefined && settings.eventsUrl === null)
    throw new SettingsError("--cluster needs ASSAY_EVENTS_URL: it names a cluster of the ClickHouse there.");
  const control = await openControlPlane(settings, folder, newId);
  teardown.add(() => control.close());
  await control.migrate();
  if (settings.databaseUrl !== null) await warnOfClock(settings.databaseUrl, log);
  // No other process uses this store, so the claims of a killed process can be released at once.
  if (!control.isShared)
    await Promise.all([control.judgements.releaseAll(), control.rehearsals.releaseAll()]);
  await requireFolders(settings, () => hasAnalyzedNights(control));
  const eventsAt = await eventsAddress(settings, folder, { log, teardown });
  // A server may have other clients, and its replicas may lag behind.
  const isOnlyWriter = !control.isShared && settings.eventsUrl === null;
  const onlyWriter = isOnlyWriter ? { log: log.child({ part: "recent-ids" }) } : undefined;
  const isServer = settings.eventsUrl !== null;
  const events = clickhouseEventStore({ ...eventsAt, cluster: eventsCluster, onlyWriter, isServer });
  teardown.add(() => events.close());
  // When several processes start at once, one creates the tables and the others find them.
  await control
    .withLock("migrate events", () => events.migrate())
    .catch((error: unknown) => {
      throw explainEventStore(error, settings);
    });
  const queue = await openQueue(settings, folder, log);
  teardown.add(() => queue.close());
  return { control, events, queue, eventsAt };
}

/** ClickHouse's codes of a failed write: CANNOT_WRITE_TO_FILE_DESCRIPTOR, CANNOT_FSYNC, NOT_ENOUGH_SPACE, CANNOT_WRITE_TO_FILE. */
const DISK_FAULTS: ReadonlySet<string> = new Set(["75", "204", "243", "294"]);

/** Explains "the event store does not answer" at start-up. On each engine it has one likely cause and fix. */
function explainEventStore(error: unknown, { eventsUrl, dataDir }: Settings): unknown {
  if (!isStorageUnavailable(error)) return error;
  if (eventsUrl !== null)
    return new SettingsError(
      "ClickHouse at ASSAY_EVENTS_URL does not answer: check the address and that the server runs.",
    );
  const { type, code = "" } = (error as { cause?: { type?: string; code?: string } }).cause ?? {};
  if (type !== undefined && !DISK_FAULTS.has(code))
    return new DataFolderError(
      `The event engine cannot open the events in the data folder ${dataDir} (${type}): restore it from a backup.`,
      { cause: error },
    );
  return new DataFolderError(
    `The event engine cannot write to the data folder ${dataDir}; its disk is most likely full. Free some space, or set ASSAY_DATA_DIR to a folder on another disk.`,
    { cause: error },
  );
}

async function warnOfClock(databaseUrl: string, log: Logger): Promise<void> {
  const { compareClocks } = await import("@assay/storage/postgres");
  const advice = await compareClocks(databaseUrl).catch(() => null);
  if (advice !== null) log.warn(advice);
}

/** Opens the control plane that the settings name. It connects at its first use. */
export async function openControlPlane(
  { databaseUrl }: Pick<Settings, "databaseUrl">,
  folder: DataFolder,
  newId: () => string,
): Promise<ControlPlane> {
  if (databaseUrl === null) {
    const file = folder.file(CONTROL_FILE);
    requireControlPlane(folder.path);
    return openSqliteControlPlane({ file, newId });
  }
  const { openPostgresControlPlane } = await import("@assay/storage/postgres");
  return openPostgresControlPlane({ url: databaseUrl, newId });
}

async function openQueue({ queueUrls }: Settings, folder: DataFolder, log: Logger): Promise<IngestQueue> {
  if (queueUrls === null) return openLmdbQueue({ dir: folder.file(QUEUE_FOLDER) });
  const { openJetStreamQueue } = await import("@assay/storage/jetstream");
  const queue = await openJetStreamQueue({ urls: queueUrls });
  const { replicas } = queue.facts;
  if (replicas === 1)
    log.warn(
      queue.facts,
      "a single NATS server stores the accepted events; a cluster of three would survive its loss",
    );
  return queue;
}

async function eventsAddress(
  { eventsUrl }: Settings,
  folder: DataFolder,
  { log, teardown }: { log: Logger; teardown: Teardown },
): Promise<EventsAddress> {
  if (eventsUrl !== null) return eventsServer(eventsUrl);
  const engine = await startEmbeddedClickHouse({
    dataDir: folder.file(EVENTS_FOLDER),
    log: log.child({ part: "event-engine" }),
  });
  teardown.add(() => engine.close());
  return engine;
}
