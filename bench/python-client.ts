import { join } from "node:path";
import { findPythons } from "../scripts/find-pythons.ts";
import { installVenv } from "../scripts/python-venv.ts";
import { benchForeignClient } from "./foreign-client.ts";
import { ROOT } from "./harness/program.ts";
import { isTiny } from "./harness/sized.ts";

/** The oldest Python that GrowthBook's package runs on. */
const FIRST_MINOR = 9;

/**
 * Compares the Python client with GrowthBook's, on the oldest installed Python that GrowthBook supports and
 * on the newest.
 */
export async function benchPythonClient(): Promise<void> {
  const pythons = findPythons().filter(({ minor }) => minor >= FIRST_MINOR);
  const chosen = new Set(
    [isTiny ? pythons.at(-1) : pythons[0], pythons.at(-1)].filter((python) => python !== undefined),
  );
  if (chosen.size === 0)
    throw new Error("The bench of the Python client needs CPython 3.9 or later with venv.");
  for (const { path, version } of chosen) {
    const programs = await installVenv({
      python: path,
      requirements: join(ROOT, "bench/python/requirements.txt"),
      folder: join(ROOT, `.cache/bench-python-${version}`),
    });
    await benchForeignClient("Python client", {
      command: join(programs, "python"),
      args: [join(ROOT, "bench/python/main.py")],
      options: { env: { ...process.env, PYTHONPATH: join(ROOT, "clients/python/src") } },
    });
  }
}
