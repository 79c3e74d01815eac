import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { broken, type Counts } from "./counts.ts";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

/** Runs what is written in TypeScript; `args` are those of `vitest run`. The report goes into `folder`. */
export function runVitest(folder: string, args: readonly string[]): Counts {
  const file = join(folder, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { status } = spawnSync("vitest", ["run", "--coverage", ...reporters, ...args], { stdio: "inherit" });
  try {
    const counts = JSON.parse(readFileSync(file, "utf8")) as Report;
    // A run that failed without a failed test (coverage, a crash while loading) must not read as a success.
    const failed = counts.numFailedTests === 0 && status !== 0 ? 1 : counts.numFailedTests;
    return {
      passed: counts.numPassedTests,
      failed,
      skipped: counts.numPendingTests + counts.numTodoTests,
    };
  } catch {
    return broken("TypeScript", "It ended without a report: see above.");
  }
}
