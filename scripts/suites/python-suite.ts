import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isNight } from "../../tests/in-night.ts";
import { findPythons, type Python } from "../find-pythons.ts";
import { installVenv, VenvError, type VenvPlan } from "../python-venv.ts";
import { addCounts, broken, type Counts, notRun } from "./counts.ts";
import { countReports } from "./junit-report.ts";
import { runProgram } from "./run-program.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "clients/python");
/**
 * Skipped on a push: half a minute of computing, the source distribution, the programs of the README, and tests with other
 * vendors' servers. The oldest Python skips them at night too: their outcome is the same on every version, or depends on packages
 * that get no new releases for an old Python. How processes end by themselves is tested on both versions.
 */
const ONLY_AT_NIGHT = [
  "--deselect=tests/test_vectors_million_ids.py::test_a_million_ids_have_the_buckets_of_the_file",
  "--deselect=tests/test_bucketing.py::test_a_hash_begun_with_the_prefix_is_the_hash_of_the_whole",
  "--deselect=tests/test_package.py::test_the_source_distribution_holds_no_tests_and_builds_the_same_wheel",
  "--ignore=tests/test_readme.py",
  "--ignore=tests/test_servers.py",
];

/** Most tests wait for programs that they start. More than two processes would each load the providers' libraries again. */
const IN_TWO = ["-n", "2", "--dist", "worksteal"];

/**
 * Installs what the newest Python here needs and runs the client's tests on it. At night, also runs the oldest Python and the
 * frameworks. The reports go into `folder`.
 */
export async function runPython(folder: string): Promise<Counts> {
  const pythons = findPythons();
  const [oldest, newest] = [pythons[0], pythons.at(-1)];
  if (oldest === undefined || newest === undefined)
    return notRun("The Python client", "It needs CPython 3.8 or later with venv on the PATH.");
  if (!isNight()) return runClient(newest, folder, ONLY_AT_NIGHT);
  const runs = [runClient(newest, folder, []), runFrameworks(newest, folder)];
  if (oldest !== newest) runs.push(runClient(oldest, folder, ONLY_AT_NIGHT));
  return addCounts(await Promise.all(runs));
}

function runClient({ path, version }: Python, folder: string, more: readonly string[]): Promise<Counts> {
  return run(`The Python client on Python ${version}`, [...IN_TWO, ...more], {
    venv: { python: path, requirements: "requirements-test.txt", folder: `python-${version}` },
    folder,
  });
}

/** The frameworks take 700 MB and need other versions of the providers' packages than the client's own tests. */
function runFrameworks({ path }: Python, folder: string): Promise<Counts> {
  return run("The Python client's frameworks", ["--disable-warnings", "tests/frameworks"], {
    venv: { python: path, requirements: "requirements-frameworks.txt", folder: "python-frameworks" },
    folder,
  });
}

interface Run {
  /** `requirements` is relative to the client, `folder` to `.cache`. */
  readonly venv: VenvPlan;
  /** Where the report goes. */
  readonly folder: string;
}

async function run(title: string, args: readonly string[], { venv, folder }: Run): Promise<Counts> {
  try {
    const programs = await installVenv({
      python: venv.python,
      requirements: join(CLIENT, venv.requirements),
      folder: join(ROOT, ".cache", venv.folder),
    });
    const report = join(folder, `${venv.folder}.xml`);
    const options = ["-q", "-rs", "-p", "no:cacheprovider", `--junitxml=${report}`, ...args];
    const isSuccess = await runProgram(title, join(programs, "python"), {
      args: ["-m", "pytest", ...options],
      cwd: CLIENT,
    });
    return countReports(existsSync(report) ? [readFileSync(report, "utf8")] : [], isSuccess);
  } catch (error) {
    if (!(error instanceof VenvError)) throw error;
    return broken(title, error.message);
  }
}
