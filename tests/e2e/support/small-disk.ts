import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onCleanUp } from "./clean-up.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A separate file system in memory, of a given size. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it up to `freeBytes`. */
  fill(freeBytes: number): void;
  /** Frees what `fill` used. */
  free(): void;
  makeReadOnly(): void;
}

const CHUNK = Buffer.alloc(64 * 1024, 1);

/** Whether this user may mount; prints a warning when not, because the tests then cannot run. */
export function mayMount(): boolean {
  try {
    const path = temporaryFolder();
    mount(["-t", "tmpfs", "-o", "size=64k", "assay-e2e", path]);
    execFileSync("umount", [path]);
    return true;
  } catch {
    console.warn(
      "\n!!! SKIPPED: this user may not mount file systems, so nothing was tested on full or read-only disks. Run as root.\n",
    );
    return false;
  }
}

/** Mounts the disk; the clean-up unmounts it. */
export function mountSmallDisk(size: string): SmallDisk {
  const path = temporaryFolder();
  mount(["-t", "tmpfs", "-o", `size=${size},mode=0700`, "assay-e2e", path]);
  onCleanUp(() => execFileSync("umount", ["-l", path]));
  const filler = join(path, "filler");
  return {
    path,
    fill: (freeBytes) => fill(filler, path, freeBytes),
    free: () => rmSync(filler),
    makeReadOnly: () => mount(["-o", "remount,ro", path]),
  };
}

function mount(args: readonly string[]): void {
  execFileSync("mount", args, { stdio: ["ignore", "ignore", "pipe"] });
}

function fill(filler: string, path: string, freeBytes: number): void {
  const file = openSync(filler, "a");
  try {
    for (let left = freeOn(path) - freeBytes; left > 0; left = freeOn(path) - freeBytes) {
      writeSync(file, CHUNK, 0, Math.min(CHUNK.length, left));
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function freeOn(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
