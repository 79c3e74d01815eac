import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const READY_MS = 30_000;
const STOP_MS = 20_000;
const PACKAGED = "/usr/lib/postgresql";

/** A PostgreSQL server that a suite started for itself. */
export interface RunningPostgres {
  readonly url: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Sends a signal to the postmaster. On SIGKILL its children end too. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /**
   * Stops it as `pg_ctl restart -m fast` does (after a kill, waits for its end) and starts it on the same
   * port.
   */
  restart(options?: { readonly downMs?: number }): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Options of the server, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Finds the folder of PostgreSQL's programs, newest version first; null when PostgreSQL cannot run here. */
export function findPostgres(): string | null {
  const versions = existsSync(PACKAGED) ? readdirSync(PACKAGED) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((name) => join(PACKAGED, name, "bin"));
  const bin = folders.find((folder) => existsSync(join(folder, "initdb"))) ?? onPath();
  if (bin === null) return null;
  // The server refuses to run as root, so it runs as its package's user.
  return isRoot() && !hasUser("postgres") ? null : bin;
}

/** Starts a server on a free port of the loopback interface, with its data in a temporary folder. User `assay` owns it. */
export async function startPostgres({ settings = {} }: PostgresOptions = {}): Promise<RunningPostgres> {
  const bin = findPostgres();
  if (bin === null) throw new Error("PostgreSQL's server programs are not on this machine.");
  const folder = mkdtempSync(join(tmpdir(), "assay-postgres-"));
  if (isRoot()) execFileSync("chown", ["postgres", folder]);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  asServer(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "assay", "-E", "UTF8", "--no-sync"]);
  const port = await freePort();
  const url = `postgres://assay@127.0.0.1:${port}/postgres`;
  const options = { port: String(port), listen_addresses: "127.0.0.1", unix_socket_directories: folder };
  const args = Object.entries({ ...options, ...settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  let server = await startServer({ bin, data, args, url });

  return {
    url,
    get pid() {
      return server.pid;
    },
    async kill(signal) {
      signalServer(server.pid, signal);
      if (signal === "SIGKILL") await server.ended;
    },
    async restart({ downMs = 0 } = {}) {
      if (server.isRunning()) signalServer(server.pid, "SIGINT");
      await server.ended;
      await sleep(downMs);
      server = await startServer({ bin, data, args, url });
    },
    async stop() {
      if (server.isRunning()) signalServer(server.pid, "SIGQUIT");
      await Promise.race([server.ended, sleep(STOP_MS, undefined, { ref: false })]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Start {
  readonly bin: string;
  readonly data: string;
  readonly args: readonly string[];
  readonly url: string;
}

async function startServer({ bin, data, args, url }: Start) {
  const [program, rest] = serverCommand(join(bin, "postgres"), ["-D", data, ...args]);
  const child = spawn(program, rest, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await answered(url, child, () => log);
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  return { pid, ended, isRunning: () => child.exitCode === null && child.signalCode === null };
}

async function answered(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (const until = Date.now() + READY_MS; ; await sleep(50)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select 1");
      return await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended during start-up:\n${log()}`);
      if (Date.now() > until) throw new Error(`PostgreSQL does not answer:\n${log()}`, { cause: error });
    }
  }
}

function signalServer(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
}

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * `setpriv` replaces itself with the program, so signals reach the server, and the child's end is the
 * server's end.
 */
function serverCommand(program: string, args: readonly string[]): [string, string[]] {
  if (!isRoot()) return [program, [...args]];
  return ["setpriv", ["--reuid=postgres", "--regid=postgres", "--init-groups", program, ...args]];
}

function asServer(program: string, args: readonly string[]): void {
  const [command, rest] = serverCommand(program, args);
  execFileSync(command, rest, { stdio: ["ignore", "ignore", "pipe"] });
}

function hasUser(name: string): boolean {
  return succeeds("id", ["-u", name]) && succeeds("setpriv", ["--version"]);
}

function onPath(): string | null {
  try {
    const found = execFileSync("sh", ["-c", "command -v initdb"], { encoding: "utf8" }).trim();
    return found === "" ? null : join(found, "..");
  } catch {
    return null;
  }
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, [...args], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The server cannot choose a port itself, so it gets one that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
