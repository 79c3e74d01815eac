import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism, setPriority } from "node:os";
import { join, relative } from "node:path";
import { COMPILE_CACHE } from "./compile-cache.ts";
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

/**
 * Gives priority to the clients' suites, which run at the same time. They end real processes, which have two seconds to deliver, and
 * wait more than they compute. No TypeScript test depends on time.
 */
const NICE = 5;

interface VitestOptions {
  /** Where the reports go. */
  readonly folder: string;
  /** Arguments of `vitest run`. Without any, everything runs. */
  readonly args: readonly string[];
  /** Starts the servers that some suites need, and returns the environment variables with their addresses. */
  readonly startServers: () => Promise<Readonly<Record<string, string>>>;
  /** Aborting ends the run. */
  readonly signal: AbortSignal;
}

interface RunOptions extends Omit<VitestOptions, "startServers"> {
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the TypeScript suites. A full run starts with the pure packages and their coverage, which slows tests by a tenth, and then
 * runs the rest.
 */
export async function runVitest({ startServers, ...options }: VitestOptions): Promise<Counts> {
  if (options.args.length > 0) return runOnce("vitest.json", { ...options, env: await startServers() });
  // The pure packages contain the rules, so their own tests must cover each branch.
  // None of these tests wait, so more processes than cores would only load the packages more often.
  const pureArgs = ["--coverage", "--project=pure", `--maxWorkers=${availableParallelism()}`];
  const pureRun = runOnce("pure.json", { ...options, env: {}, args: pureArgs });
  // They need no servers, so the servers start meanwhile: in a fresh clone, building NATS takes a minute.
  const [pure, servers] = await Promise.all([pureRun, startServers()]);
  // Tests with real servers, browsers and killed processes sometimes fail by chance. A failed test runs once more, and the
  // summary names it if it then passes. Nothing in the pure packages depends on chance, so they run once.
  const args = ["--project=!pure", "--retry=1"];
  // Not for the pure packages, because the compile cache makes coverage less exact.
  const env = { ...servers, NODE_COMPILE_CACHE: COMPILE_CACHE };
  return addCounts([pure, await runOnce("others.json", { ...options, args, env })]);
}

async function runOnce(name: string, { folder, args, env, signal }: RunOptions): Promise<Counts> {
  const file = join(folder, name);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const options = { stdio: "inherit", env: { ...process.env, ...env } } as const;
  const vitest = spawn("vitest", ["run", ...reporters, ...args], options);
  if (vitest.pid !== undefined) setPriority(vitest.pid, NICE);
  signal.addEventListener("abort", () => vitest.kill());
  const [status] = (await once(vitest, "exit")) as [number | null];
  try {
    const counts = JSON.parse(readFileSync(file, "utf8")) as Report;
    // A run that failed without a failed test (coverage, a crash while loading) must not count as a success.
    const failed = counts.numFailedTests === 0 && status !== 0 ? 1 : counts.numFailedTests;
    return {
      passed: counts.numPassedTests,
      failed,
      skipped: counts.numPendingTests + counts.numTodoTests,
      failures: counts.testResults.flatMap(failuresOf),
      retried: counts.testResults.flatMap(retriedOf),
    };
  } catch {
    // The changed files affect no test.
    if (status === 0 && args[0] === "--changed") return { passed: 0, failed: 0, skipped: 0 };
    return broken("TypeScript", "It ended without a report: see above.");
  }
}

function failuresOf({ name, status, message, assertionResults }: FileReport): string[] {
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length > 0) return failed.map((test) => lineOf(name, test));
  return status === "failed" ? [`${relative(process.cwd(), name)}: ${firstLine(message)}`] : [];
}

/** For a test that ran twice, only this report has the messages of the first run. */
function retriedOf({ name, assertionResults }: FileReport): string[] {
  const isRetried = ({ status, failureMessages }: TestReport) =>
    status === "passed" && (failureMessages ?? []).length > 0;
  return assertionResults.filter(isRetried).map((test) => lineOf(name, test, (text) => text.slice(0, 2_000)));
}

function lineOf(file: string, { fullName, failureMessages }: TestReport, shorten = firstLine): string {
  return `${relative(process.cwd(), file)}: ${fullName}: ${shorten(failureMessages?.[0] ?? "")}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 300);
}
