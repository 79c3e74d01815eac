import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { startEmbeddedClickHouse } from "@assay/storage";
import pg from "pg";
import { onCleanUp } from "./clean-up.ts";
import type { Environment } from "./program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const silentLog = { info() {}, warn() {}, error() {} };

/** Makes what two processes share: a schema of the database at `url`, an event engine, and the key that opens secrets. */
export async function sharedEngines(url: string): Promise<Environment> {
  const schema = `assay_e2e_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create schema ${schema}`);
  onCleanUp(async () => {
    await server.query(`drop schema ${schema} cascade`);
    await server.end();
  });
  const engine = await startEmbeddedClickHouse({
    dataDir: join(temporaryFolder(), "events"),
    log: silentLog,
  });
  onCleanUp(() => engine.close());
  const database = new URL(url);
  database.searchParams.set("options", `-c search_path=${schema}`);
  const events = new URL(engine.url);
  events.username = engine.username;
  events.password = engine.password;
  return {
    ASSAY_DATABASE_URL: database.href,
    ASSAY_EVENTS_URL: events.href,
    ASSAY_MASTER_KEY: randomBytes(32).toString("base64"),
  };
}
