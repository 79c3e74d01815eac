import { randomBytes, randomUUID } from "node:crypto";
import { createClient } from "@clickhouse/client";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";

/** Whether the suites' services run on the servers that `ASSAY_TEST_…_URL` name instead of the embedded engines. */
export const runsOnServers = process.env.ASSAY_TEST_ENGINES === "servers";

/** Private engines: a schema, a database and a prefix of streams on the shared servers. */
export interface FreshEngines {
  readonly databaseUrl: string;
  readonly eventsUrl: string;
  /** The servers of one cluster, comma-separated. */
  readonly queueUrl: string;
  /** Base64. Processes on the same engines share it too. */
  readonly masterKey: string;
  /** Removes them and their contents. */
  drop(): Promise<void>;
}

/** Makes fresh engines; throws when a server's variable is not set. */
export async function freshEngines(): Promise<FreshEngines> {
  const name = `assay_${randomUUID().replaceAll("-", "")}`;
  const [database, events, queue] = await Promise.all([
    freshSchema(serverUrl("ASSAY_TEST_DATABASE_URL"), name),
    freshDatabase(serverUrl("ASSAY_TEST_EVENTS_URL"), name),
    freshPrefix(serverUrl("ASSAY_TEST_QUEUE_URL"), name),
  ]);
  return {
    databaseUrl: database.url,
    eventsUrl: events.url,
    queueUrl: queue.url,
    masterKey: randomBytes(32).toString("base64"),
    drop: async () => void (await Promise.all([database.drop(), events.drop(), queue.drop()])),
  };
}

function serverUrl(variable: string): string {
  const url = process.env[variable];
  if (url !== undefined) return url;
  throw new Error(`ASSAY_TEST_ENGINES=servers needs ${variable}: npm test starts the server and sets it.`);
}

interface Fresh {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a schema that connections with this URL use by default. */
export async function freshSchema(server: string, name: string): Promise<Fresh> {
  await runSql(server, `create schema ${name}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${name}`);
  return { url: url.href, drop: () => runSql(server, `drop schema ${name} cascade`) };
}

async function runSql(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function freshDatabase(server: string, name: string): Promise<Fresh> {
  const client = createClient({ url: server });
  await client.command({ query: `CREATE DATABASE ${name}` });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await client.command({ query: `DROP DATABASE ${name}` });
      await client.close();
    },
  };
}

async function freshPrefix(servers: string, name: string): Promise<Fresh> {
  const urls = servers.split(",");
  return {
    url: urls.map((url) => `${url}/${name}`).join(","),
    async drop() {
      const connection = await connect({ servers: urls });
      const manager = await jetstreamManager(connection);
      for await (const stream of manager.streams.names()) {
        if (stream.startsWith(name)) await manager.streams.delete(stream);
      }
      await connection.close();
    },
  };
}
