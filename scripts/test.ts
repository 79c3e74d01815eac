// Runs every suite and ends with one plain line: `N passed, N failed, N skipped`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
const report = join(folder, "report.json");
const { status } = spawnSync(
  "vitest",
  [
    "run",
    "--coverage",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { stdio: "inherit" },
);

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

try {
  const counts = JSON.parse(readFileSync(report, "utf8")) as Report;
  // A run that failed without a failed test (coverage, a crash while loading) must not read as a success.
  const failed = counts.numFailedTests === 0 && status !== 0 ? 1 : counts.numFailedTests;
  console.log(
    `${counts.numPassedTests} passed, ${failed} failed, ${counts.numPendingTests + counts.numTodoTests} skipped`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
} catch {
  console.error("The tests ended without a report: see above.");
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
