import { fork } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { onCleanUp } from "../e2e/support/clean-up.ts";
import { temporaryFolder } from "../e2e/support/temporary-folder.ts";

/** Requests what a cut leaves, in a folder that does not exist yet. */
export interface CutMessage {
  readonly seed: number;
  readonly into: string;
}

/** Syncs that a disk claims to do and does not, for controls. */
export type Ignored = "files" | "folders";

/** A mounted file system that knows what a power cut would leave of it. */
export interface CutDisk {
  readonly path: string;
  /** Returns a new plain folder with what the disk would hold if the power were cut now. The disk itself goes on. */
  cut(seed: number): Promise<string>;
}

/** Why no disk can be mounted here; null when one can. */
export function whyNoCutDisk(): string | null {
  if (process.platform !== "linux") return "this is not Linux";
  if (process.getuid?.() !== 0) return "this user is not root";
  try {
    accessSync("/dev/fuse", constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return "there is no /dev/fuse";
  }
}

/** Mounts an empty disk; the clean-up unmounts it. */
export async function mountCutDisk(ignored: readonly Ignored[] = []): Promise<CutDisk> {
  const path = temporaryFolder();
  const program = fork(join(import.meta.dirname, "fuse-program.ts"), [path, ...ignored], { execArgv: [] });
  const exited = once(program, "exit");
  onCleanUp(async () => {
    program.disconnect();
    await exited;
  });
  const ended = exited.then(() => {
    throw new Error("The program below the disk ended.");
  });
  ended.catch(() => {}); // When it is no longer used.
  const answer = async (expected: string) => {
    const [message] = await Promise.race([once(program, "message"), ended]);
    if (message !== expected) throw new Error(`The program below the disk answered ${message}.`);
  };
  await answer("mounted");
  return {
    path,
    async cut(seed) {
      const into = join(temporaryFolder(), "disk");
      program.send({ seed, into } satisfies CutMessage);
      await answer("cut");
      return into;
    },
  };
}
