// Runs every suite and ends with one plain line: `N passed, N failed, N skipped`. With arguments, which are those of
// `vitest run`, it runs what is written in TypeScript only.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCounts, formatCounts } from "./suites/counts.ts";
import { runJava } from "./suites/java-suite.ts";
import { runPython } from "./suites/python-suite.ts";
import { runVitest } from "./suites/vitest-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
const args = process.argv.slice(2);
try {
  const counts = [runVitest(folder, args)];
  if (args.length === 0) {
    // Both wait more than they compute.
    counts.push(...(await Promise.all([runPython(folder), runJava()])));
    for (const [index, name] of ["TypeScript", "Python", "Java"].entries()) {
      console.log(`${name}: ${formatCounts(counts[index]!)}.`);
    }
  }
  const total = addCounts(counts);
  console.log(formatCounts(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
