import { randomUUID } from "node:crypto";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { SESSION_SETTINGS } from "../events/engine/connect-clickhouse.ts";
import { type EngineClient, engineClient } from "../events/engine/engine-client.ts";

/** An empty database for one suite, on a server or on each node of a cluster. */
export interface TestDatabase {
  /** Opens a client of that database per node. */
  readonly connect: () => readonly EngineClient[];
  /** Addresses of the nodes, with credentials and the database. */
  readonly urls: readonly string[];
  drop(): Promise<void>;
}

/** Creates a database with a unique name on the servers; `urls` contain user and password. */
export async function createTestDatabase(urls: readonly string[]): Promise<TestDatabase> {
  const database = `assay_test_${randomUUID().replaceAll("-", "")}`;
  const run = async (query: string) => {
    for (const url of urls) {
      const admin = createClient({ url: urlOf(url, "default"), ...SILENT });
      await admin.command({ query });
      await admin.close();
    }
  };
  await run(`CREATE DATABASE ${database}`);
  const own = urls.map((url) => urlOf(url, database));
  return {
    connect: () => own.map((url) => engineClient(createClient({ url, ...AS_SERVICE, ...SILENT }))),
    urls: own,
    drop: () => run(`DROP DATABASE IF EXISTS ${database}`),
  };
}

/** Options as in `connectClickHouse`. */
const AS_SERVICE = { use_multipart_params_auto: true, clickhouse_settings: SESSION_SETTINGS } as const;
const SILENT = { log: { level: ClickHouseLogLevel.OFF } };

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
