// Runs a TypeScript entry of this repository on the right Node: `node scripts/launch.mjs <entry.ts> [arguments]`. It
// is plain JavaScript that any Node from 18 can run, because a fresh machine may have an old one. It installs missing
// packages (only when the lock file changed) and then uses Node 24 from the npm package `node`.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED_MAJOR = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".assay-lock");

function lockHash() {
  return createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
}

function install() {
  const hash = lockHash();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.error("Installing dependencies (npm ci); this takes about a minute the first time …");
  const { status } = spawnSync("npm", ["ci", "--loglevel=error"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    console.error("npm ci failed: see above. Assay needs npm 9 or later and access to an npm registry.");
    process.exit(1);
  }
  writeFileSync(stamp, hash);
}

function nodeBinary() {
  if (Number(process.versions.node.split(".")[0]) >= NEEDED_MAJOR) return process.execPath;
  const carried = join(root, "node_modules", "node", "bin", "node");
  if (existsSync(carried)) return carried;
  console.error(
    `Assay needs Node ${NEEDED_MAJOR}, and the one that npm should have installed is missing: run npm ci.`,
  );
  process.exit(1);
}

install();
const [entry, ...args] = process.argv.slice(2);
// Without an entry, only install: `.ci/run` uses this.
if (entry === undefined) process.exit();
// Child processes must find our `node` and this repository's tools first on the PATH.
const path = [dirname(nodeBinary()), join(root, "node_modules", ".bin"), process.env.PATH].join(":");
const env = { ...process.env, PATH: path };
// Entries that serve the dashboard need it built. All others start without waiting.
if (entry === "apps/cli/src/main.ts" && ["serve", "demo"].includes(args[0])) {
  const { status } = spawnSync(nodeBinary(), [join(root, "scripts/build-dashboard.ts")], {
    stdio: ["ignore", 2, 2],
    env,
  });
  if (status !== 0) process.exit(status ?? 1);
}
// Half of the start-up time is type stripping and compiling. Node caches the result for the next start.
if (entry === "apps/cli/src/main.ts") env.NODE_COMPILE_CACHE ??= join(root, ".cache/node-compile");
const child = spawn(nodeBinary(), [join(root, entry), ...args], {
  stdio: "inherit",
  env,
});
// The terminal sends Ctrl+C to the whole group. A signal to this process alone must be forwarded.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// A process that is killed, or crashes outside JavaScript, cannot report the cause itself.
const CAUSES = {
  SIGKILL: "by kill -9, or because the memory ran out (see the system's log)",
  SIGBUS:
    "in native code: the disk may be full, or a file of the data folder cut off; `npm run assay -- doctor` reads them",
  SIGSEGV: "in native code: a file of the data folder may be damaged; `npm run assay -- doctor` reads them",
};
child.on("exit", (code, signal) => {
  if (signal in CAUSES) console.error(`The process ended ${CAUSES[signal]}.`);
  process.exit(code ?? (signal === "SIGINT" ? 130 : 1));
});
