import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findPythons, type Python } from "../find-pythons.ts";
import { installVenv, VenvError } from "../python-venv.ts";
import { addCounts, broken, type Counts, notRun } from "./counts.ts";
import { countReports } from "./junit-report.ts";
import { runProgram } from "./run-program.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "clients/python");
/** Half a minute of computing that says the same on every Python: the newest one does it. */
const MILLION_IDS = "tests/test_vectors_million_ids.py::test_a_million_ids_have_the_buckets_of_the_file";

/** Runs the tests of the Python client on the oldest and the newest Python here. The reports go into `folder`. */
export async function runPython(folder: string): Promise<Counts> {
  const pythons = findPythons();
  const [oldest, newest] = [pythons[0], pythons.at(-1)];
  if (oldest === undefined || newest === undefined) {
    return notRun("The Python client", "It needs CPython 3.8 or later with venv on the PATH.");
  }
  const runs = [runOn(newest, folder, [])];
  if (oldest !== newest) runs.push(runOn(oldest, folder, ["--deselect", MILLION_IDS]));
  return addCounts(await Promise.all(runs));
}

async function runOn({ path, version }: Python, folder: string, more: readonly string[]): Promise<Counts> {
  const title = `The Python client on Python ${version}`;
  try {
    const requirements = join(CLIENT, "requirements-test.txt");
    const programs = installVenv({
      python: path,
      requirements,
      folder: join(ROOT, `.cache/python-${version}`),
    });
    const report = join(folder, `python-${version}.xml`);
    const args = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", `--junitxml=${report}`, ...more];
    const isSuccess = await runProgram(title, join(programs, "python"), { args, cwd: CLIENT });
    return countReports(existsSync(report) ? [readFileSync(report, "utf8")] : [], isSuccess);
  } catch (error) {
    if (!(error instanceof VenvError)) throw error;
    return broken(title, error.message);
  }
}
