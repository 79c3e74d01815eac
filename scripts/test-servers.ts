import { findClickHouse, startClickHouseCluster } from "../tests/servers/clickhouse.ts";
import { findNats, startNats } from "../tests/servers/nats.ts";
import { findPostgres, startPostgres } from "../tests/servers/postgres.ts";

/** Real servers for the suites that also run on them. */
export interface TestServers {
  /** Their addresses, in the form that the suites read. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

interface Kind {
  readonly name: string;
  /** The environment variables that name it. */
  readonly variables: readonly string[];
  readonly missing: string;
  readonly find: () => string | null;
  readonly start: () => Promise<TestServers>;
}

const KINDS: readonly Kind[] = [
  {
    name: "PostgreSQL",
    variables: ["ASSAY_TEST_DATABASE_URL"],
    missing: "install the package postgresql",
    find: findPostgres,
    async start() {
      // No suite simulates a power cut on this server: the fault suite starts its own.
      const server = await startPostgres({ settings: { fsync: "off", max_connections: "200" } });
      return { env: { ASSAY_TEST_DATABASE_URL: server.url }, stop: () => server.stop() };
    },
  },
  {
    name: "ClickHouse",
    variables: ["ASSAY_TEST_EVENTS_URL", "ASSAY_TEST_EVENTS_CLUSTER_URLS"],
    missing: "it needs the embedded engine's library and Python 3",
    find: findClickHouse,
    async start() {
      // Two shards. Used with its own database, the first shard acts as a single server.
      const { urls, stop } = await startClickHouseCluster({ shards: 2 });
      const [first = ""] = urls;
      return {
        env: { ASSAY_TEST_EVENTS_URL: first, ASSAY_TEST_EVENTS_CLUSTER_URLS: urls.join(",") },
        stop,
      };
    },
  },
  {
    name: "NATS",
    variables: ["ASSAY_TEST_QUEUE_URL"],
    missing: "install Go, which builds it, or the package nats-server",
    find: findNats,
    async start() {
      const servers = await startNats();
      return { env: { ASSAY_TEST_QUEUE_URL: servers.url }, stop: () => servers.stop() };
    },
  },
];

/** Starts the servers that this machine has and the caller did not name, and reports the missing ones. A push needs only the first. */
export async function startTestServers(kinds: "all" | "of a push" = "all"): Promise<TestServers> {
  const running: TestServers[] = [];
  const stop = async () => void (await Promise.all(running.map((server) => server.stop())));
  const startOne = async ({ name, variables, missing, find, start }: Kind) => {
    if (variables.some((variable) => process.env[variable] !== undefined)) return;
    if (find() === null) console.error(`NOT RUN: tests that need ${name}, which is missing: ${missing}.`);
    else running.push(await start());
  };
  const started = await Promise.allSettled(KINDS.slice(0, kinds === "all" ? undefined : 1).map(startOne));
  const failed = started.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const given = KINDS.flatMap(({ variables }) => variables).flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = Object.assign(Object.fromEntries(given), ...running.map((server) => server.env));
  return { env, stop };
}
