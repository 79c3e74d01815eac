import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installationBinding, type SealedSecret } from "@assay/domain";
import { FolderLockedError, lockFolder, startEmbeddedClickHouse } from "@assay/storage";
import {
  copyQueue,
  type MovedPart,
  openEventsMove,
  openQueueSnapshot,
  takeControlSnapshot,
} from "@assay/storage/move";
import { hasQueue, probeLmdb } from "@assay/storage/probes";
import type { Logger } from "pino";
import { DataFolderError, requireKnownFormat } from "../data-folder/data-folder.ts";
import { SIGNING_KEY } from "../data-folder/installation-secrets.ts";
import { CONTROL_FILE, EVENTS_FOLDER, QUEUE_FOLDER } from "../data-folder/layout.ts";
import { requireControlPlane } from "../data-folder/required-parts.ts";
import { createSealer, type Sealer } from "../data-folder/seal.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { Teardown } from "../teardown.ts";
import { findMove, openServers, type Servers } from "./open-servers.ts";

/** Receives the rows or batches of a part that were copied, or that an earlier run had already copied. */
export type OnMoved = (part: string, count: number, isThere: boolean) => void;

/** How a move ended. */
export interface MoveOutcome {
  /** `differs`: data is missing on the servers, so no service starts on them. */
  readonly kind: "moved" | "was-moved-before" | "differs";
  /** The counts at both ends; empty when the folder was moved before. */
  readonly parts: readonly MovedPart[];
}

interface MoveParts {
  readonly dir: string;
  readonly log: Logger;
  readonly teardown: Teardown;
  readonly onMoved: OnMoved;
}

/**
 * Copies all data of an embedded data folder to the servers in the settings. The folder is only read. An interrupted move continues when
 * it is started again; until it is complete, no service starts on these servers.
 */
export async function moveFolder(
  settings: Settings,
  { dir, log, onMoved }: Omit<MoveParts, "teardown">,
): Promise<MoveOutcome> {
  const teardown = new Teardown();
  try {
    return await move(settings, { dir, log, onMoved, teardown });
  } finally {
    await teardown.run();
  }
}

async function move(settings: Settings, parts: MoveParts): Promise<MoveOutcome> {
  const { dir, teardown, onMoved } = parts;
  holdFolder(dir, teardown);
  const snapshot = await takeControlSnapshot(join(dir, CONTROL_FILE));
  teardown.add(() => snapshot.close());
  const sealer = folderSealer(dir, settings.masterKey, snapshot.sealed);
  const servers = await openServers(settings, teardown);
  const events = await openEvents(servers, parts);
  const found = await findMove(snapshot, servers, events.isTargetEmpty);
  if (found === "finished") return { kind: "was-moved-before", parts: [] };
  if (found === "nothing") await servers.control.mark(snapshot.fingerprint);
  const logs = await events.copy({ onChunk: onMoved });
  const queue = await moveQueue(snapshot.fingerprint, servers, parts);
  const copied = [...logs, ...queue];
  if (copied.some(({ isEqual }) => !isEqual)) return { kind: "differs", parts: copied };
  const secrets = readSigningKey(dir).map((pem) => ({
    name: SIGNING_KEY,
    sealed: sealer.seal(pem, installationBinding(SIGNING_KEY)),
  }));
  const tables = await servers.control.fill(snapshot, secrets, (rows) =>
    onMoved("control plane", rows, false),
  );
  const isWhole = tables.every(({ isEqual }) => isEqual);
  return { kind: isWhole ? "moved" : "differs", parts: [...copied, ...tables] };
}

/** Locks the folder. Refuses a folder that is not a complete data folder, or that a service uses. */
function holdFolder(dir: string, teardown: Teardown): void {
  const lacking = ["format", CONTROL_FILE, EVENTS_FOLDER].find((name) => !existsSync(join(dir, name)));
  const missing = lacking ?? (hasQueue(join(dir, QUEUE_FOLDER)) ? undefined : QUEUE_FOLDER);
  if (missing !== undefined)
    throw new DataFolderError(
      `${dir} is not a complete data folder (it has no ${missing}): name the folder that the service had in ASSAY_DATA_DIR.`,
    );
  requireKnownFormat(dir);
  requireControlPlane(dir);
  try {
    const lock = lockFolder(join(dir, "lock"));
    teardown.add(() => lock.release());
  } catch (error) {
    if (!(error instanceof FolderLockedError)) throw error;
    throw new DataFolderError(
      `A service uses the data folder ${dir}: stop it, and do not start it again after the move.`,
      { cause: error },
    );
  }
}

async function openEvents({ events }: Servers, { dir, log, teardown }: MoveParts) {
  const engine = await startEmbeddedClickHouse({
    dataDir: join(dir, EVENTS_FOLDER),
    log: log.child({ part: "event-engine" }),
  });
  teardown.add(() => engine.close());
  const { url, username, password } = engine;
  const move = openEventsMove({ url, username, password }, events);
  teardown.add(() => move.close());
  return move;
}

async function moveQueue(
  source: string,
  { queue }: Servers,
  { dir, onMoved }: MoveParts,
): Promise<readonly MovedPart[]> {
  await probeLmdb(join(dir, QUEUE_FOLDER));
  const snapshot = openQueueSnapshot(join(dir, QUEUE_FOLDER));
  try {
    return await copyQueue(snapshot, queue, {
      source,
      onBatches: (count) => onMoved("queue", count, false),
    });
  } finally {
    await snapshot.close();
  }
}

/** Reads the signing key of local sessions; empty when a provider signs them. */
function readSigningKey(dir: string): readonly string[] {
  const file = join(dir, "identity.key");
  return existsSync(file) ? [readFileSync(file, "utf8")] : [];
}

/**
 * Makes the sealer of a data folder's secrets, which a move copies unchanged. If the given master key is not the
 * folder's, throws a `SettingsError` that says where the key is.
 */
function folderSealer(dir: string, masterKey: Buffer | null, sealed: readonly SealedSecret[]): Sealer {
  const file = join(dir, "master.key");
  const isInFile = existsSync(file);
  const remedy = isInFile
    ? `run export ASSAY_MASTER_KEY="$(cat ${file})" here and set it for every process that you start afterwards.`
    : "set the key that the service on this folder was started with.";
  if (masterKey === null)
    throw new SettingsError(`ASSAY_MASTER_KEY must be the key of the data folder ${dir}: ${remedy}`);
  const sealer = createSealer(masterKey);
  const isOurs =
    sealed.length > 0
      ? sealed.every((secret) => sealer.open(secret.sealed, secret.binding) !== null)
      : !isInFile || readFileSync(file, "utf8").trim() === masterKey.toString("base64");
  if (isOurs) return sealer;
  throw new SettingsError(
    `ASSAY_MASTER_KEY is not the key that the secrets of the data folder ${dir} are encrypted with: ${remedy}`,
  );
}
