import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { addCounts, broken, type Counts } from "./counts.ts";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be run at all. */
  readonly message: string;
  readonly assertionResults: readonly TestReport[];
}

interface TestReport {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[] | null;
}

interface VitestOptions {
  /** Where the reports go. */
  readonly folder: string;
  /** Those of `vitest run`; without any everything runs. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/**
 * Runs what is written in TypeScript. Everything is: the pure packages with their coverage, which slows tests by a tenth, then
 * the others.
 */
export async function runVitest(options: VitestOptions): Promise<Counts> {
  if (options.args.length > 0) return runOnce("vitest.json", options);
  // They hold the rules: each branch of theirs must be tested, and by their own tests.
  const pure = await runOnce("pure.json", { ...options, args: ["--coverage", "--project=pure"] });
  // Real servers, browsers and killed processes on shared cores: a chance is not a fault, so what fails runs once more. It is
  // counted and named, since a test that needs it often is one to mend. The rules get no second chance.
  return addCounts([
    pure,
    await runOnce("others.json", { ...options, args: ["--project=!pure", "--retry=1"] }),
  ]);
}

async function runOnce(name: string, { folder, args, env, signal }: VitestOptions): Promise<Counts> {
  const file = join(folder, name);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const options = { stdio: "inherit", env: { ...process.env, ...env } } as const;
  const vitest = spawn("vitest", ["run", ...reporters, ...args], options);
  signal.addEventListener("abort", () => vitest.kill());
  const [status] = (await once(vitest, "exit")) as [number | null];
  try {
    const counts = JSON.parse(readFileSync(file, "utf8")) as Report;
    // A run that failed without a failed test (coverage, a crash while loading) must not read as a success.
    const failed = counts.numFailedTests === 0 && status !== 0 ? 1 : counts.numFailedTests;
    return {
      passed: counts.numPassedTests,
      failed,
      skipped: counts.numPendingTests + counts.numTodoTests,
      failures: counts.testResults.flatMap(failuresOf),
      retried: counts.testResults.flatMap((file) => linesOf(file, "passed")),
    };
  } catch {
    // Nothing is touched by what changed.
    if (status === 0 && args[0] === "--changed") return { passed: 0, failed: 0, skipped: 0 };
    return broken("TypeScript", "It ended without a report: see above.");
  }
}

function failuresOf(file: FileReport): string[] {
  const lines = linesOf(file, "failed");
  if (lines.length > 0 || file.status !== "failed") return lines;
  return [`${relative(process.cwd(), file.name)}: ${firstLine(file.message)}`];
}

/** A line for each test that ended so and has failed: a test with a second run may have passed. */
function linesOf({ name, assertionResults }: FileReport, ending: "passed" | "failed"): string[] {
  return assertionResults
    .filter(({ status, failureMessages }) => status === ending && (failureMessages ?? []).length > 0)
    .map(
      (test) => `${relative(process.cwd(), name)}: ${test.fullName}: ${firstLine(test.failureMessages![0]!)}`,
    );
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 300);
}
