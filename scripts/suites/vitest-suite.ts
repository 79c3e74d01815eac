import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addCounts, broken, type Counts } from "./counts.ts";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

/** What holds the rules: each branch of theirs must be tested, and by their own tests. */
const PURE = ["packages/bucketing", "packages/domain", "packages/stats"];

/**
 * Runs what is written in TypeScript; `args` are those of `vitest run`. Without any it runs everything: the pure packages with
 * their coverage, which slows tests by a tenth, then the others. The reports go into `folder`.
 */
export function runVitest(folder: string, args: readonly string[]): Counts {
  if (args.length > 0) return runOnce(join(folder, "vitest.json"), args);
  return addCounts([
    runOnce(join(folder, "pure.json"), ["--coverage", ...PURE]),
    runOnce(
      join(folder, "others.json"),
      PURE.map((path) => `--exclude=${path}/**`),
    ),
  ]);
}

function runOnce(file: string, args: readonly string[]): Counts {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { status } = spawnSync("vitest", ["run", ...reporters, ...args], { stdio: "inherit" });
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
