import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { missingJavaTools } from "../scripts/missing-java-tools.ts";
import { datafile } from "./contestants/optimizely.ts";
import { feature } from "./contestants/unleash.ts";
import { benchForeignClient } from "./foreign-client.ts";
import { ROOT } from "./harness/program.ts";
import { tempFolder } from "./harness/temp-folder.ts";

const CACHE = join(ROOT, ".cache/bench-java");
const POM = join(ROOT, "bench/java/pom.xml");

/** Compares the Java client with those of Unleash and Optimizely in one JVM. GrowthBook's is not on Maven Central. */
export async function benchJavaClient(): Promise<void> {
  const missing = missingJavaTools();
  if (missing !== null) return console.error(`NOT RUN: the Java client. ${missing}`);
  const libraries = join(CACHE, "libraries");
  const classes = join(CACHE, "classes");
  await mkdir(classes, { recursive: true });
  const copy = ["-f", POM, "dependency:copy-dependencies", `-DoutputDirectory=${libraries}`];
  run("mvn", ["-B", "-q", "-ntp", ...copy]);
  run("mvn", ["-B", "-q", "-ntp", "-f", join(ROOT, "clients/java/pom.xml"), "compile"]);
  const classPath = [join(libraries, "*"), join(ROOT, "clients/java/target/classes"), classes].join(":");
  run("javac", [
    "-encoding",
    "UTF-8",
    "-d",
    classes,
    "-cp",
    classPath,
    ...globSync(join(ROOT, "bench/java/src/*.java")),
  ]);
  const folder = await tempFolder();
  const [unleash, optimizely] = [join(folder, "unleash.json"), join(folder, "optimizely.json")];
  await writeFile(unleash, JSON.stringify({ version: 2, features: [feature(true)] }));
  await writeFile(optimizely, JSON.stringify(datafile()));
  await benchForeignClient("Java client", {
    command: "java",
    args: ["-cp", classPath, "Main", unleash, optimizely],
  });
}

function run(command: string, args: readonly string[]): void {
  // Maven ends before the JVM's second compiler would pay off.
  const env = { ...process.env, MAVEN_OPTS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" };
  const { status } = spawnSync(command, args, { stdio: ["ignore", 2, 2], env });
  if (status !== 0) throw new Error(`${command} failed, see above: ${args.join(" ")}`);
}
