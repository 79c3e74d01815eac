import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { findPythons } from "./find-pythons.ts";
import { installVenv } from "./python-venv.ts";

const ROOT = resolve(import.meta.dirname, "..");
const CLIENT = join(ROOT, "clients/python");

/**
 * Writes the Python client's wheel and source distribution into an emptied folder. Without Python, prints one line
 * to stderr and returns false. Throws when a build fails.
 */
export async function buildPython(folder: string): Promise<boolean> {
  const newest = findPythons().at(-1);
  if (newest === undefined) {
    console.error("NOT BUILT: clients/python. It needs CPython 3.8 or later with venv on the PATH.");
    return false;
  }
  const programs = await installVenv({
    python: newest.path,
    requirements: join(CLIENT, "requirements-build.txt"),
    folder: join(ROOT, `.cache/python-build-${newest.version}`),
  });
  rmSync(folder, { recursive: true, force: true });
  const build = ["-m", "hatchling", "build", "-d", folder];
  const { status } = spawnSync(join(programs, "python"), build, { cwd: CLIENT, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("hatchling could not build the Python client: see above.");
  return true;
}
