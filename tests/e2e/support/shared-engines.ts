import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { type FreshEngines, freshEngines, freshSchema, runsOnServers } from "../../servers/fresh-engines.ts";
import { onCleanUp } from "./clean-up.ts";
import type { Environment } from "./program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const silentLog = { info() {}, warn() {}, error() {} };

/**
 * Makes what two processes share: a schema of the database at `url`, an event engine, and the key that opens secrets; the queue
 * as well where the suites run on servers.
 */
export async function sharedEngines(url: string): Promise<Environment> {
  if (runsOnServers) return serverEngines();
  const schema = await freshSchema(url, `assay_e2e_${randomUUID().replaceAll("-", "")}`);
  onCleanUp(schema.drop);
  // Loading it takes half a second of CPU, and few of the files that start services need it.
  const { startEmbeddedClickHouse } = await import("@assay/storage");
  const engine = await startEmbeddedClickHouse({
    dataDir: join(temporaryFolder(), "events"),
    log: silentLog,
  });
  onCleanUp(() => engine.close());
  const events = new URL(engine.url);
  events.username = engine.username;
  events.password = engine.password;
  return {
    ASSAY_DATABASE_URL: schema.url,
    ASSAY_EVENTS_URL: events.href,
    ASSAY_MASTER_KEY: randomBytes(32).toString("base64"),
  };
}

/** Makes fresh engines on the servers, as settings of a service; the clean-up drops them. */
export async function serverEngines() {
  const engines: FreshEngines = await freshEngines();
  onCleanUp(() => engines.drop());
  return {
    ASSAY_DATABASE_URL: engines.databaseUrl,
    ASSAY_EVENTS_URL: engines.eventsUrl,
    ASSAY_QUEUE_URL: engines.queueUrl,
    ASSAY_MASTER_KEY: engines.masterKey,
  };
}
