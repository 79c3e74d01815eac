import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is wrong and how to fix it, for the person who started the program. */
export class VenvError extends Error {
  override readonly name = "VenvError";
}

export interface VenvPlan {
  /** The interpreter to make it with. */
  readonly python: string;
  /** A file of pinned requirements. */
  readonly requirements: string;
  readonly folder: string;
}

/**
 * Makes a Python environment with what the file requires, again only when that file changed; returns the folder of its
 * programs. Throws a `VenvError`.
 */
export function installVenv({ python, requirements, folder }: VenvPlan): string {
  const programs = join(folder, "bin");
  const stamp = join(folder, "installed");
  const pinned = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === pinned) return programs;
  console.error(`Installing ${requirements} for ${python}; this takes about a minute the first time …`);
  runOrExplain(
    python,
    ["-m", "venv", "--clear", folder],
    "Python with venv is needed (Debian: python3-venv).",
  );
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements];
  runOrExplain(join(programs, "python"), pip, `pip could not install ${requirements}: see above.`);
  writeFileSync(stamp, pinned);
  return programs;
}

function runOrExplain(command: string, args: readonly string[], remedy: string): void {
  const { status } = spawnSync(command, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new VenvError(remedy);
}
