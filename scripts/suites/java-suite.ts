import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { missingJavaTools } from "../missing-java-tools.ts";
import { type Counts, notRun } from "./counts.ts";
import { countReports } from "./junit-report.ts";

const CLIENT = resolve(import.meta.dirname, "../../clients/java");
const REPORTS = join(CLIENT, "target/surefire-reports");

/** Builds the Java client with Maven, checks its Javadoc and runs its tests. */
export function runJava(): Counts {
  const missing = missingJavaTools();
  if (missing !== null) return notRun("The Java client", missing);
  console.log("\n— The Java client");
  // What an earlier run left must not count.
  rmSync(REPORTS, { recursive: true, force: true });
  const { status } = spawnSync("mvn", ["-B", "-q", "-ntp", "verify"], { cwd: CLIENT, stdio: "inherit" });
  return countReports(readReports(), status === 0);
}

function readReports(): readonly string[] {
  try {
    const names = readdirSync(REPORTS).filter((name) => /^TEST-.*\.xml$/.test(name));
    return names.map((name) => readFileSync(join(REPORTS, name), "utf8"));
  } catch {
    return []; // nothing was compiled
  }
}
