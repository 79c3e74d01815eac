import { randomUUID } from "node:crypto";
import type { ControlPlane, EventStore } from "@assay/domain";
import { clickhouseEventStore, openSqliteControlPlane, startEmbeddedClickHouse } from "@assay/storage";
import { openDataFolder } from "../data-folder/data-folder.ts";
import type { TestService } from "./test-service.ts";

/** The stores of a service that is stopped. */
export interface StoppedStores {
  readonly control: ControlPlane;
  readonly events: EventStore;
  /** Counts the events of the raw log that belong to an experiment. */
  countRaw(experimentId: string): Promise<number>;
}

const log = { info() {}, warn() {}, error() {} };

/** Stops the service, does `work` on its stores, as a crash might have left it, and starts it again. */
export async function onStoppedStores(api: TestService, work: (stores: StoppedStores) => Promise<void>) {
  await api.service.close();
  const folder = openDataFolder(api.dataDir);
  const engine = await startEmbeddedClickHouse({ dataDir: folder.file("events"), log });
  const events = clickhouseEventStore(engine);
  const control = openSqliteControlPlane({ file: folder.file("control.sqlite"), newId: randomUUID });
  try {
    await work({ control, events, countRaw: (id) => countRaw(id, engine) });
  } finally {
    await control.close();
    await events.close();
    await engine.close();
  }
  await api.restart();
}

async function countRaw(
  experimentId: string,
  engine: { readonly url: string; readonly username: string; readonly password: string },
): Promise<number> {
  const url = new URL(engine.url);
  url.searchParams.set(
    "query",
    "SELECT count() FROM raw_events FINAL WHERE experiment_id = {id: String} FORMAT TSV",
  );
  url.searchParams.set("param_id", experimentId);
  const headers = { "x-clickhouse-user": engine.username, "x-clickhouse-key": engine.password };
  const answer = await fetch(url, { method: "POST", headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return Number(text);
}
