import { chmodSync, type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@assay/domain";

/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/**
 * Removes other users' permissions from a folder and everything in it, which previous versions and restored backups may
 * have left. New files are private anyway, because commands run with umask 077. Throws a `StartupError` when something
 * belongs to another user.
 */
export function keepPrivate(path: string): void {
  const inside = entriesOf(path).filter((entry) => !entry.isSymbolicLink());
  // These come last: once they are private, everything below them is.
  if (!isOpenToOthers(path) && !inside.some((entry) => isOpenToOthers(join(path, entry.name)))) return;
  try {
    tighten(path);
    for (const entry of inside) tightenTree(join(path, entry.name), entry);
  } catch (error) {
    const { code, path: at = path } = error as NodeJS.ErrnoException;
    if (code !== "EPERM") throw error;
    throw new StartupError(
      `Other users of this machine can read the data folder ${path}, and ${at} does not belong to this user: have its owner run chmod -R go= ${path}, or set ASSAY_DATA_DIR to a new folder.`,
      { cause: error },
    );
  }
}

function tightenTree(path: string, entry: Dirent): void {
  if (entry.isDirectory()) {
    for (const child of entriesOf(path)) tightenTree(join(path, child.name), child);
  }
  // A link has no permissions of its own, and its target may belong to any user.
  if (!entry.isSymbolicLink()) tighten(path);
}

function tighten(path: string): void {
  const mode = modeOf(path);
  if (mode !== null && (mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS);
}

/** Returns whether any user but the owner has permissions on a file or folder. */
export const isOpenToOthers = (path: string): boolean => ((modeOf(path) ?? 0) & OTHERS) !== 0;

/** The permissions. Null when there is no such file, because engines and other processes may remove files at any time. */
const modeOf = (path: string): number | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.mode & 0o7777;
};

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
