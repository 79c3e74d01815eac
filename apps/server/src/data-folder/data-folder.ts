import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StartupError } from "@assay/domain";
import { isOpenToOthers, keepPrivate } from "./keep-private.ts";

/** A start-up error about the data folder; its one-line message says what to do. */
export class DataFolderError extends StartupError {
  override readonly name = "DataFolderError";
}

/** Increased when the folder's layout changes in a way that older versions cannot read. */
const FORMAT = 1;

export interface DataFolder {
  readonly path: string;
  /** The folder or file of one part, inside the data folder. */
  file(name: string): string;
  /** Reads a generated secret, creating it at first use (mode 0600). */
  secret(name: string, make: () => Buffer): Buffer;
  /** Reads a secret if it was generated before, else null. */
  findSecret(name: string): Buffer | null;
}

/** Opens the data folder for its owner only, and creates it at first use. Throws a one-line `StartupError`. */
export function openDataFolder(path: string): DataFolder {
  return orExplain(path, () => {
    makeFolder(path);
    requireOwnFolder(path);
    keepPrivate(path);
    probeWritable(path);
    checkFormat(path);
    const file = (name: string) => join(path, name);
    const findSecret = (name: string) => readIfThere(file(name));
    return { path, file, secret: (name, make) => readOrMake(file(name), make), findSecret };
  });
}

/**
 * Makes a data folder that opens at its first use, because a process whose engines and keys are elsewhere needs none.
 * Calls `onOpen` once with the open folder.
 */
export function dataFolderOnDemand(path: string, onOpen: (folder: DataFolder) => void): DataFolder {
  let opened: DataFolder | null = null;
  const open = (): DataFolder => {
    if (opened === null) {
      opened = openDataFolder(path);
      onOpen(opened);
    }
    return opened;
  };
  return {
    path,
    file: (name) => open().file(name),
    secret: (name, make) => open().secret(name, make),
    findSecret: (name) => readIfThere(join(path, name)),
  };
}

const readIfThere = (file: string): Buffer | null => (existsSync(file) ? readFileSync(file) : null);

/** Runs `work` on the folder and explains disk errors in one line that says what to do. */
function orExplain<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const fault = code === undefined ? undefined : FAULTS[code];
    if (fault === undefined) throw error;
    throw new DataFolderError(`The data folder ${path} ${fault}`, { cause: error });
  }
}

const cannotWrite =
  "cannot be written: give this user write permission, or set ASSAY_DATA_DIR to another folder.";
const FAULTS: Readonly<Record<string, string>> = {
  EACCES: cannotWrite,
  EPERM: cannotWrite,
  EROFS: "is on a read-only disk: set ASSAY_DATA_DIR to a folder on another disk.",
  ENOSPC: "is on a full disk: free some space, or set ASSAY_DATA_DIR to a folder on another disk.",
  EDQUOT: "is over its disk quota: free some space, or set ASSAY_DATA_DIR to a folder elsewhere.",
  ENOTDIR: "is not a folder: set ASSAY_DATA_DIR to a folder.",
  EEXIST: "is not a folder: set ASSAY_DATA_DIR to a folder.",
  ENOENT: "cannot be created: set ASSAY_DATA_DIR to a folder whose parent exists.",
};

/** Creates one folder at a time: Node's recursive mkdir never returns where the file system answers ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  syncFolder(dirname(path));
}

function probeWritable(path: string): void {
  const probe = join(path, `.probe-${process.pid}`);
  writeFileSync(probe, "");
  rmSync(probe);
}

/** Files that a new disk has, or that an operator may put there before the first start. */
const HARMLESS = ["lost+found", "master.key", "identity.key"];

/** Refuses a folder with other files that other users can access, like /tmp. Assay must not lock them out of it. */
function requireOwnFolder(path: string): void {
  const inside = readdirSync(path).filter((name) => !HARMLESS.includes(name));
  if (inside.length === 0 || existsSync(join(path, "format")) || !isOpenToOthers(path)) return;
  throw new DataFolderError(
    `The data folder ${path} has files that are not Assay's, and other users of this machine can reach it: set ASSAY_DATA_DIR to a new folder.`,
  );
}

function checkFormat(path: string): void {
  const file = join(path, "format");
  if (!existsSync(file)) writeWhole(file, Buffer.from(`${FORMAT}\n`));
  requireKnownFormat(path);
}

/** Throws a `DataFolderError` when a newer version of Assay wrote the folder. */
export function requireKnownFormat(path: string): void {
  const format = Number(readFileSync(join(path, "format"), "utf8"));
  if (format === FORMAT) return;
  if (!Number.isInteger(format) || format < 1) throw damaged("format");
  throw new DataFolderError(
    `The data folder ${path} was written by a newer version of Assay (format ${format}; this version reads ${FORMAT}): run that version, or set ASSAY_DATA_DIR to another folder.`,
  );
}

/** Makes the error for a file in the data folder whose content Assay did not write. */
export function damaged(file: string, cause?: unknown): DataFolderError {
  return new DataFolderError(
    `The file ${file} in the data folder is damaged: restore it from a backup, or set ASSAY_DATA_DIR to another folder.`,
    { cause },
  );
}

function readOrMake(file: string, make: () => Buffer): Buffer {
  if (!existsSync(file)) writeWhole(file, make());
  chmodSync(file, 0o600);
  return readFileSync(file);
}

/** Writes by rename, so that a crash leaves either no file or a complete one. Once it returns, a power cut leaves the complete one. */
function writeWhole(file: string, content: Buffer): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** Syncs the names in a folder. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
