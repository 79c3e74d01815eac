import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const VERSION = "v2.15.2";
const BIN_DIR = resolve(import.meta.dirname, "../../.cache/bin");
const PAYLOAD_BYTES = 8 * 1024 * 1024;
const READY_MS = 60_000;

/** One server of a NATS cluster. */
export interface NatsNode {
  readonly name: string;
  readonly url: string;
  /** Process id; changes with `restart`. */
  readonly pid: number;
  /** Ends the process and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Restarts it with the same folder and ports; kills it first if it still runs. */
  restart(): Promise<void>;
}

/** Running NATS servers with JetStream. */
export interface NatsServers {
  /** The addresses as `ASSAY_QUEUE_URL` takes them. */
  readonly url: string;
  readonly nodes: readonly NatsNode[];
  /** Resolves when JetStream is ready on every running node. */
  ready(): Promise<void>;
  /** Ends the servers and removes their data. */
  stop(): Promise<void>;
}

interface NatsOptions {
  /** 1, or 3 for a cluster. */
  readonly nodes?: 1 | 3;
  readonly maxPayloadBytes?: number;
  /** Further lines of the configuration: users, limits. */
  readonly config?: string;
}

/**
 * Finds a NATS server binary: the version that Assay is tested with (built with Go if missing), else the
 * distribution's. Null when there is none.
 */
export function findNats(): string | null {
  const built = join(BIN_DIR, `nats-server-${VERSION}`);
  if (existsSync(built) || build(built)) return built;
  return ["nats-server", "/usr/sbin/nats-server"].find((path) => versionOf(path) !== null) ?? null;
}

/** Several test processes may build at once, each in its own folder. The last one wins. */
function build(to: string): boolean {
  mkdirSync(BIN_DIR, { recursive: true });
  const dir = mkdtempSync(join(BIN_DIR, "build-"));
  try {
    const env = { ...process.env, GOBIN: dir, GOFLAGS: "-trimpath" };
    execFileSync("go", ["install", `github.com/nats-io/nats-server/v2@${VERSION}`], { env, stdio: "ignore" });
    renameSync(join(dir, "nats-server"), to);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function versionOf(binary: string): readonly [major: number, minor: number] | null {
  try {
    const text = execFileSync(binary, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, major, minor] = /v(\d+)\.(\d+)/.exec(text) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return null;
  }
}

/** Starts one NATS server or a cluster of three on free ports, with files in a temporary folder. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServers> {
  const binary = findNats();
  if (binary === null) throw new Error("there is neither Go nor a nats-server package");
  const root = mkdtempSync(join(tmpdir(), "assay-nats-"));
  const count = options.nodes ?? 1;
  const ports = await freePorts(3 * count);
  const routes = ports.slice(2 * count);
  const nodes = routes.map((route, i) =>
    natsNode({
      binary,
      name: `n${i + 1}`,
      dir: join(root, `n${i + 1}`),
      ports: { client: ports[i]!, monitor: ports[count + i]!, route },
      routes,
      options,
    }),
  );
  const servers: NatsServers = {
    url: nodes.map(({ url }) => url).join(","),
    nodes,
    async ready() {
      await Promise.all(nodes.map((node) => node.ready()));
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill("SIGKILL")));
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    for (const node of nodes) node.start();
    await servers.ready();
    return servers;
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

interface NodeParts {
  readonly binary: string;
  readonly name: string;
  readonly dir: string;
  readonly ports: { readonly client: number; readonly monitor: number; readonly route: number };
  readonly routes: readonly number[];
  readonly options: NatsOptions;
}

function natsNode(parts: NodeParts): NatsNode & { start(): void; ready(): Promise<void> } {
  const { binary, name, dir, ports } = parts;
  mkdirSync(dir, { recursive: true });
  const file = join(dir, "nats.conf");
  writeFileSync(file, configOf(parts));
  const spawnNode = () =>
    spawn(binary, ["-c", file, "-l", join(dir, "nats.log")], { stdio: "ignore" }).on(
      "error",
      () => undefined,
    );
  let child: ReturnType<typeof spawnNode> | null = null;
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  const node = {
    name,
    url: `nats://127.0.0.1:${ports.client}`,
    get pid() {
      return child?.pid ?? 0;
    },
    start() {
      child = spawnNode();
    },
    async ready() {
      if (!isRunning()) return;
      for (let waitedMs = 0; ; waitedMs += 100) {
        const health = await fetch(`http://127.0.0.1:${ports.monitor}/healthz`).catch(() => null);
        if (health?.ok) return;
        if (!isRunning() || waitedMs > READY_MS) throw new Error(`NATS ${name} did not start: see ${dir}`);
        await sleep(100);
      }
    },
    async kill(signal: NodeJS.Signals) {
      if (child === null || !isRunning()) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
    async restart() {
      await node.kill("SIGKILL");
      node.start();
      await node.ready();
    },
  };
  return node;
}

/** A node as an operator should run it. Versions before 2.10 do not have `sync_interval`. */
function configOf({ binary, name, dir, ports, routes, options }: NodeParts): string {
  const [major = 0, minor = 0] = versionOf(binary) ?? [];
  const canSync = major > 2 || (major === 2 && minor >= 10);
  const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
  return [
    `server_name: ${name}`,
    `host: 127.0.0.1`,
    `port: ${ports.client}`,
    `http: "127.0.0.1:${ports.monitor}"`,
    `max_payload: ${options.maxPayloadBytes ?? PAYLOAD_BYTES}`,
    // Streams reserve their maximum size, and tests make many streams.
    `jetstream { store_dir: "${join(dir, "data")}", max_file_store: 100TB${canSync ? ", sync_interval: always" : ""} }`,
    ...(routes.length > 1
      ? [`cluster { name: assay, listen: "127.0.0.1:${ports.route}", routes: [${urls}] }`]
      : []),
    options.config ?? "",
  ].join("\n");
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
