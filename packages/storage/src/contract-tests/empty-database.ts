import { eventStoreOn } from "../events/clickhouse-event-store.ts";
import { clientOf, type temporaryClickHouse } from "../events/embedded/temporary-clickhouse.ts";
import { engineClient } from "../events/engine/engine-client.ts";
import { STORED_TABLES } from "../events/schema/schema.ts";

type TemporaryServer = Awaited<ReturnType<typeof temporaryClickHouse>>;

const databaseOf = new WeakMap<TemporaryServer, string>();

/**
 * Returns the name of a database with the event store's tables, all empty. Each server has one such database, and every call
 * empties it, because creating the tables takes longer than most tests.
 */
export async function emptyDatabase(server: TemporaryServer): Promise<string> {
  const known = databaseOf.get(server);
  if (known !== undefined) {
    for (const table of STORED_TABLES)
      if (table !== "schema_version")
        await server.client.command({ query: `TRUNCATE TABLE ${known}.${table}` });
    return known;
  }
  const database = await createDatabase(server);
  databaseOf.set(server, database);
  return database;
}

/** Creates a database with the event store's tables, for a test that needs its own. */
export async function createDatabase(server: TemporaryServer): Promise<string> {
  const database = `events_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.client.command({ query: `CREATE DATABASE ${database}` });
  const store = eventStoreOn(engineClient(clientOf(server.clickhouse, { database })), null);
  await store.migrate();
  await store.close();
  return database;
}
