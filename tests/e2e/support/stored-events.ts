import { join } from "node:path";
import { startEmbeddedClickHouse } from "@assay/storage";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { idBitsSql } from "../../../packages/storage/src/events/sql/id-bits.ts";
import { enginesAt } from "./program.ts";

/** One row of each log as it stands on disk. */
export interface StoredEvents {
  readonly rawEvents: readonly string[];
  readonly analysis: readonly string[];
  /** Of the ids that are kept as bits, the texts; one that no log has is its bits in hexadecimal digits. */
  readonly eventIds: readonly string[];
  readonly exposuresByVariant: Readonly<Record<string, number>>;
}

const silentLog = { info() {}, warn() {}, error() {} };

/** Reads the logs of a stopped service's data folder with an engine of its own, or from the server that it ran on. */
export async function readStoredEvents(dataDir: string): Promise<StoredEvents> {
  const address = enginesAt(dataDir)?.ASSAY_EVENTS_URL;
  if (address !== undefined) return readFrom(createClient({ url: address }));
  const engine = await startEmbeddedClickHouse({ dataDir: join(dataDir, "events"), log: silentLog });
  const { url, username, password } = engine;
  try {
    return await readFrom(createClient({ url, username, password }));
  } finally {
    await engine.close();
  }
}

async function storedIds(rows: <T>(query: string) => Promise<T[]>): Promise<readonly string[]> {
  const found = await rows<[string]>(
    `SELECT if(texts.text = '', hex(ids.id), texts.text) FROM (SELECT id FROM stored_ids FINAL) AS ids
     LEFT JOIN (SELECT DISTINCT event_id AS text, ${idBitsSql("event_id")} AS id FROM analysis) AS texts USING id`,
  );
  return found.map(([id]) => id);
}

async function readFrom(client: ClickHouseClient): Promise<StoredEvents> {
  const rows = async <T>(query: string) =>
    (await client.query({ query, format: "JSONCompactEachRow" })).json<T>();
  const idsOf = async (table: string) =>
    (await rows<[string]>(`SELECT event_id FROM ${table} FINAL`)).map(([id]) => id);
  try {
    const exposures = await rows<[string, number]>(
      "SELECT variant, toUInt32(count()) FROM analysis FINAL WHERE type = 'exposure' GROUP BY variant",
    );
    return {
      rawEvents: await idsOf("raw_events"),
      analysis: await idsOf("analysis"),
      eventIds: await storedIds(rows),
      exposuresByVariant: Object.fromEntries(exposures),
    };
  } finally {
    await client.close();
  }
}
