// Runs every suite, on real servers too where they can run, and ends with one plain line: `N passed, N failed, N skipped`. With
// arguments, which are those of `vitest run`, it runs what is written in TypeScript only. `--engines servers` runs all services of
// that on the servers instead of the embedded engines.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCounts, formatCounts } from "./suites/counts.ts";
import { runJava } from "./suites/java-suite.ts";
import { runPython } from "./suites/python-suite.ts";
import { runVitest } from "./suites/vitest-suite.ts";
import { startTestServers } from "./test-servers.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-test-"));
const args = process.argv.slice(2);
const onServers = args[0] === "--engines" && args[1] === "servers";
if (onServers) args.splice(0, 2);
const starting = startTestServers();
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // One Ctrl+C arrives several times, from the terminal and from each launcher above: the first is enough.
    if (stopping.signal.aborted) return;
    stopping.abort();
    void cleanUp().finally(() => process.exit(1));
  });
}

async function cleanUp(): Promise<void> {
  await (await starting).stop();
  rmSync(folder, { recursive: true, force: true });
}

try {
  const servers = await starting;
  const env = { ...servers.env, ...(onServers && { ASSAY_TEST_ENGINES: "servers" }) };
  const counts = [await runVitest({ folder, args, env, signal: stopping.signal })];
  if (args.length === 0 && !onServers) {
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
  await cleanUp();
}
