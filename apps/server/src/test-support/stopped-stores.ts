import { randomUUID } from "node:crypto";
import type { ControlPlane, EventStore, IngestQueue } from "@assay/domain";
import { pino } from "pino";
import { openDataFolder } from "../data-folder/data-folder.ts";
import type { EventsAddress } from "../engines/events-address.ts";
import { openEngines } from "../engines/open-engines.ts";
import { Teardown } from "../teardown.ts";
import type { TestService } from "./test-service.ts";

/** The stores of a service that is stopped. */
export interface StoppedStores {
  readonly control: ControlPlane;
  readonly events: EventStore;
  readonly queue: IngestQueue;
  /** Counts the events of the raw log that belong to an experiment. */
  countRaw(experimentId: string): Promise<number>;
}

/** Stops the service, does `work` on its stores, as a crash might have left it, and starts it again. */
export async function onStoppedStores(api: TestService, work: (stores: StoppedStores) => Promise<void>) {
  await api.service.close();
  const teardown = new Teardown();
  try {
    const folder = openDataFolder(api.dataDir);
    const parts = { log: pino({ level: "silent" }), teardown, newId: randomUUID };
    const { eventsAt, ...stores } = await openEngines(api.settings(), folder, parts);
    await work({ ...stores, countRaw: (id) => countRaw(id, eventsAt) });
  } finally {
    await teardown.run();
  }
  await api.restart();
}

async function countRaw(
  experimentId: string,
  { url: origin, username, password, database }: EventsAddress,
): Promise<number> {
  const url = new URL(origin);
  if (database !== undefined) url.searchParams.set("database", database);
  url.searchParams.set(
    "query",
    "SELECT count() FROM raw_events FINAL WHERE experiment_id = {id: String} FORMAT TSV",
  );
  url.searchParams.set("param_id", experimentId);
  const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password };
  const answer = await fetch(url, { method: "POST", headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return Number(text);
}
