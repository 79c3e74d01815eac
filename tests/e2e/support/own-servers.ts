import { randomUUID } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { onCleanUp } from "./clean-up.ts";

/** What of the three servers belongs to one test. */
export interface OwnServers {
  readonly env: Readonly<Record<"ASSAY_DATABASE_URL" | "ASSAY_EVENTS_URL" | "ASSAY_QUEUE_URL", string>>;
  /** Counts the rows of a table of events. */
  countEvents(table: string): Promise<number>;
}

/** Names the servers that the suite was given; null when one is missing. */
export function findServers(): Readonly<Record<"database" | "events" | "queue", string>> | null {
  const { ASSAY_TEST_DATABASE_URL, ASSAY_TEST_EVENTS_URL, ASSAY_TEST_QUEUE_URL } = process.env;
  if (!ASSAY_TEST_DATABASE_URL || !ASSAY_TEST_EVENTS_URL || !ASSAY_TEST_QUEUE_URL) return null;
  return {
    database: ASSAY_TEST_DATABASE_URL,
    events: ASSAY_TEST_EVENTS_URL,
    queue: ASSAY_TEST_QUEUE_URL,
  };
}

/** Makes a schema, a database and a prefix of streams of a test's own. */
export async function ownServers({
  database,
  events,
  queue,
}: NonNullable<ReturnType<typeof findServers>>): Promise<OwnServers> {
  const name = `move_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: database });
  await server.connect();
  await server.query(`create schema ${name}`);
  onCleanUp(async () => {
    await server.query(`drop schema ${name} cascade`);
    await server.end();
  });
  const ask = askClickHouse(events);
  await ask(`CREATE DATABASE ${name}`);
  onCleanUp(async () => void (await ask(`DROP DATABASE ${name} SYNC`)));
  onCleanUp(() => removeStreams(queue, name));
  const schemaUrl = new URL(database);
  schemaUrl.searchParams.set("options", `-c search_path=${name}`);
  const eventsUrl = new URL(events);
  eventsUrl.pathname = name;
  const queueUrls = queue.split(",").map((url) => `${url}/${name}`);
  return {
    env: {
      ASSAY_DATABASE_URL: schemaUrl.href,
      ASSAY_EVENTS_URL: eventsUrl.href,
      ASSAY_QUEUE_URL: queueUrls.join(),
    },
    countEvents: async (table) => Number(await ask(`SELECT count() FROM ${name}.${table} FINAL`)),
  };
}

/** A server counts what its streams may grow to: those of many tests would leave no room for more. */
async function removeStreams(address: string, prefix: string): Promise<void> {
  const connection = await connect({ servers: address.split(",") });
  const manager = await jetstreamManager(connection);
  for await (const name of manager.streams.names())
    if (name.startsWith(`${prefix}_`)) await manager.streams.delete(name);
  await connection.close();
}

function askClickHouse(address: string): (sql: string) => Promise<string> {
  const { origin, username, password } = new URL(address);
  const headers = {
    "x-clickhouse-user": decodeURIComponent(username) || "default",
    "x-clickhouse-key": decodeURIComponent(password),
  };
  return async (sql) => {
    const answer = await fetch(origin, { method: "POST", body: sql, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  };
}
