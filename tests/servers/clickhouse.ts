import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "./free-ports.ts";

/** The name of the cluster that `startClickHouseCluster` makes; a single server is a cluster of one shard. */
export const CLUSTER = "assay";

const LAUNCHER = join(import.meta.dirname, "run-clickhouse.py");
const CREDENTIALS = { username: "assay", password: randomBytes(12).toString("hex") };
const START_DEADLINE_MS = 60_000;
const POLL_MS = 50;

/** A ClickHouse server: the engine's own HTTP and native ports, in a process that can be killed. */
export interface RunningClickHouse {
  /** With credentials and the existing database `assay`. */
  readonly url: string;
  /** Of the current process; changes with a restart. */
  readonly pid: () => number;
  /** Sends a signal, including SIGSTOP and SIGCONT, and resolves at once. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Ends the process if it still runs, then starts one with the same folder and ports. */
  readonly restart: () => Promise<void>;
  /** Ends the process and removes its data. */
  readonly stop: () => Promise<void>;
}

/**
 * The shards of one cluster. Each server has one shard's rows, and any of them answers for the whole cluster.
 */
export interface RunningClickHouseCluster {
  readonly name: string;
  readonly nodes: readonly RunningClickHouse[];
  readonly urls: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Finds what a server needs: the engine's library and Python; null when one is missing. */
export function findClickHouse(): string | null {
  if (!hasPython()) return null;
  const fromStorage = createRequire(join(import.meta.dirname, "../../packages/storage/package.json"));
  try {
    const fromChdb = createRequire(fromStorage.resolve("chdb"));
    const manifest = fromChdb.resolve(`@chdb/lib-${process.platform}-${process.arch}-gnu/package.json`);
    const library = join(manifest, "../libchdb.so");
    return existsSync(library) ? library : null;
  } catch {
    return null;
  }
}

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import ctypes"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Starts one server on an empty folder. */
export async function startClickHouse(): Promise<RunningClickHouse> {
  const { nodes } = await startClickHouseCluster({ shards: 1 });
  return nodes[0]!;
}

/** Starts a server per shard, each on an empty folder, as the cluster `assay`. */
export async function startClickHouseCluster({
  shards,
}: {
  readonly shards: number;
}): Promise<RunningClickHouseCluster> {
  const ports = await freePorts(shards * 2);
  const http = ports.slice(0, shards);
  const native = ports.slice(shards);
  const starting = http.map((port, i) => startNode({ http: port, native, shard: i }));
  const settled = await Promise.allSettled(starting);
  const nodes = settled.flatMap((node) => (node.status === "fulfilled" ? [node.value] : []));
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  const failed = settled.find((node) => node.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { name: CLUSTER, nodes, urls: nodes.map(({ url }) => url), stop };
}

interface NodeOptions {
  readonly http: number;
  /** Native ports of all shards, in order. */
  readonly native: readonly number[];
  readonly shard: number;
}

async function startNode(options: NodeOptions): Promise<RunningClickHouse> {
  const library = findClickHouse();
  if (library === null) throw new Error("ClickHouse's library or Python is missing.");
  const folder = await mkdtemp(join(tmpdir(), "assay-clickhouse-server-"));
  const data = join(folder, "data");
  const config = join(folder, "config.xml");
  await mkdir(data);
  await writeFile(join(folder, "users.xml"), USERS);
  await writeFile(config, configuration(folder, options));
  const run = () => launch([library, data, config], options.http);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  let server = await run().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const { username, password } = CREDENTIALS;
  return {
    url: `http://${username}:${password}@127.0.0.1:${options.http}/assay`,
    pid: () => server.pid!,
    kill: (signal) => void server.kill(signal),
    async restart() {
      await end(server);
      server = await run();
    },
    async stop() {
      await end(server);
      await remove();
    },
  };
}

/** Resolves once the server answers and has the database `assay`. */
async function launch(args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn("python3", [LAUNCHER, ...args], {
    env: { PATH: process.env.PATH, TZ: "UTC" },
    // Its standard input stays open as long as this process lives.
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.on("error", () => {});
  child.stdin!.on("error", () => {});
  let complaint = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString("utf8")}`.slice(-2_000);
  });
  const deadline = Date.now() + START_DEADLINE_MS;
  while (!(await hasDatabase(port))) {
    const isOver = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (!isOver && Date.now() < deadline) {
      await delay(POLL_MS);
      continue;
    }
    await end(child);
    throw new Error(`The ClickHouse server did not start: ${complaint.trim() || "no reason given"}`);
  }
  return child;
}

async function hasDatabase(port: number): Promise<boolean> {
  const { username, password } = CREDENTIALS;
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: "CREATE DATABASE IF NOT EXISTS assay",
    headers: { "x-clickhouse-user": username, "x-clickhouse-key": password },
  }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/**
 * Small enough for a test; the rest are server defaults. Merging the few rows of each test at once would be a quarter of the CPU.
 */
function configuration(folder: string, { http, native, shard }: NodeOptions): string {
  const { username, password } = CREDENTIALS;
  const shards = native.map(
    (port) =>
      `<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>${port}</port>` +
      `<user>${username}</user><password>${password}</password></replica></shard>`,
  );
  return `<clickhouse>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${http}</http_port>
  <tcp_port>${native[shard]}</tcp_port>
  <users_config>${join(folder, "users.xml")}</users_config>
  <logger><level>none</level></logger>
  <max_server_memory_usage>1500000000</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <remote_servers><${CLUSTER}>${shards.join("")}</${CLUSTER}></remote_servers>
  <merge_tree><min_parts_to_merge_at_once>10</min_parts_to_merge_at_once></merge_tree>
  <macros><shard>${shard + 1}</shard><replica>replica-1</replica></macros>
</clickhouse>
`;
}

/** The launcher's endless query runs as \`default\`. Connections through a port need the password. */
const USERS = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <${CREDENTIALS.username}>
      <password>${CREDENTIALS.password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <access_management>1</access_management>
    </${CREDENTIALS.username}>
  </users>
</clickhouse>
`;
