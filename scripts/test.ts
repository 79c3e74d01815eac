// Runs the suites that every push must pass, and ends with one plain line: `N passed, N failed, N skipped`. `--all` adds the night's
// suites (`suites/night-suites.ts`). `--changed [ref]` runs what changed files affect. `--engines servers` uses servers instead of
// the embedded engines. Other arguments go to `vitest run`, and then only the TypeScript suites run.
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNight } from "../tests/in-night.ts";
import { changedFiles, touchedSuites } from "./suites/changed-files.ts";
import { addCounts, type Counts, formatCounts } from "./suites/counts.ts";
import { runJava } from "./suites/java-suite.ts";
import { LEFT_OUT } from "./suites/night-suites.ts";
import { runPython } from "./suites/python-suite.ts";
import { runVitest } from "./suites/vitest-suite.ts";
import { startTestServers, type TestServers } from "./test-servers.ts";

/** A folder in memory: on a disk, the engines' syncs would take a third of the tests' CPU, and everything waits for them. */
const MEMORY = "/dev/shm";
const NEEDED_BYTES = 6 * 1024 ** 3;

const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), "assay-test-"));
// All programs of the suites put files here, including PostgreSQL, which runs as its own user under root.
chmodSync(folder, 0o711);
process.env.TMPDIR = folder;
const args = process.argv.slice(2);
/** Removes the option from the beginning of the arguments, and returns whether it was there. */
const takeOption = (...words: readonly string[]) =>
  words.every((word, index) => args[index] === word) && args.splice(0, words.length).length > 0;
if (takeOption("--all")) process.env.ASSAY_TEST_NIGHT ??= "1";
const onServers = takeOption("--engines", "servers");
const isChangedOnly = args[0] === "--changed";
const all = { python: args.length === 0 && !onServers, java: args.length === 0 && !onServers };
const clients = isChangedOnly ? touchedSuites(changedFiles(args[1])) : all;
let starting: Promise<TestServers> | null = null;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // One Ctrl+C arrives several times: from the terminal, and from each launcher above. The first one is enough.
    if (stopping.signal.aborted) return;
    stopping.abort();
    void cleanUp().finally(() => process.exit(1));
  });
}

function hasRoom(path: string): boolean {
  if (!existsSync(path)) return false;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= NEEDED_BYTES;
}

/** The fast lane (`--changed`) uses the servers that the environment names and starts none. */
async function startServers(): Promise<Readonly<Record<string, string>>> {
  if (!isChangedOnly) starting = startTestServers(isNight() || onServers ? "all" : "of a push");
  const servers = await starting;
  return { ...servers?.env, ...(onServers && { ASSAY_TEST_ENGINES: "servers" }) };
}

async function cleanUp(): Promise<void> {
  await (await starting)?.stop();
  rmSync(folder, { recursive: true, force: true });
}

try {
  const suites: Readonly<Record<string, Promise<Counts>>> = {
    TypeScript: runVitest({ folder, args, startServers, signal: stopping.signal }),
    ...(clients.python && { Python: runPython(folder) }),
    ...(clients.java && { Java: runJava() }),
  };
  const counts = await Promise.all(Object.values(suites));
  for (const [index, name] of Object.keys(suites).entries())
    console.log(`${name}: ${formatCounts(counts[index]!)}.`);
  const total = addCounts(counts);
  for (const test of total.retried ?? []) console.log(`PASSED ONLY WHEN RUN AGAIN: ${test}`);
  for (const failure of total.failures ?? []) console.log(`FAILED: ${failure}`);
  if (!isNight()) console.log(LEFT_OUT);
  console.log(formatCounts(total));
  process.exitCode = total.failed === 0 ? 0 : 1;
} finally {
  await cleanUp();
}
