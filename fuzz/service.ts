import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FuzzError } from "./fuzz-error.ts";

const ROOT = resolve(import.meta.dirname, "..");
const CLI = join(ROOT, "apps/cli/src/main.ts");
const START_MS = 120_000;
const NO_LIMIT = "999999999";
const RATES = [
  "ASSIGN",
  "EVENTS",
  "PUBLIC_ROWS",
  "PUBLIC_BYTES",
  "ROWS",
  "BYTES",
  "CONFIG",
  "BUSINESS_EVENTS",
].map((name) => `ASSAY_RATE_${name}_PER_SECOND`);

/** A real service in a separate process, without rate limits. */
export interface FuzzedService {
  readonly url: string;
  /** Its log lines about requests that failed with an internal error. */
  failures(): readonly string[];
  /** Makes a session of the local owner in an org. Its first use creates the org. */
  tokenOf(org: string, options?: readonly string[]): string;
  stop(): Promise<void>;
}

/** Starts a service on a data folder. Throws `FuzzError` when it does not listen in time. */
export async function startService(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<FuzzedService> {
  const env = {
    ...withoutSettings(),
    ASSAY_DATA_DIR: dataDir,
    ASSAY_PORT: "0",
    ASSAY_RATE_IMPORT_PER_MINUTE: NO_LIMIT,
    ASSAY_RATE_ANALYSES_PER_MINUTE: NO_LIMIT,
    ASSAY_RATE_SEARCHES_PER_MINUTE: NO_LIMIT,
    ASSAY_RATE_CONTACT_PER_HOUR: NO_LIMIT,
    ...Object.fromEntries(RATES.map((name) => [name, NO_LIMIT])),
    ...settings,
  };
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [CLI, "serve"], { cwd: ROOT, env, stdio: [...stdio] });
  let [said, logged] = ["", ""];
  child.stdout?.on("data", (chunk) => (said += chunk));
  child.stderr?.on("data", (chunk) => (logged += chunk));
  for (const start = Date.now(); !/listens on/.test(said); await sleep(50)) {
    if (child.exitCode === null && Date.now() - start < START_MS) continue;
    await stop(child);
    throw new FuzzError(`The service did not start:\n${logged}`);
  }
  return {
    url: /listens on (\S+)/.exec(said)?.[1] ?? "",
    failures: () => logged.split("\n").filter((line) => line.includes('"a request failed"')),
    tokenOf(org, options = []) {
      const args = [CLI, "session-token", "--org", org, ...options];
      return spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: "utf8" }).stdout.trim();
    },
    stop: () => stop(child),
  };
}

/** The service refuses unknown settings and must not inherit the caller's. */
function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ASSAY_")));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await exited;
}
