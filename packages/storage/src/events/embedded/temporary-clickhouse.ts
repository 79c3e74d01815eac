import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import {
  type EmbeddedClickHouse,
  type EmbeddedClickHouseOptions,
  type EmbeddedLog,
  startEmbeddedClickHouse,
} from "./embedded-clickhouse.ts";

/** A log for tests that discards everything. */
export const silentLog: EmbeddedLog = { info() {}, warn() {}, error() {} };

/** Creates an empty folder in the system's temporary folder. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "assay-clickhouse-"));
}

/** Creates an official client for `clickhouse` that does not log the errors that a test provokes. */
export function clientOf(
  { url, username, password }: Pick<EmbeddedClickHouse, "url" | "username" | "password">,
  options: Omit<NonNullable<Parameters<typeof createClient>[0]>, "url"> = {},
) {
  return createClient({ url, username, password, log: { level: ClickHouseLogLevel.OFF }, ...options });
}

/** Starts an engine on a new folder for one test file; `dispose` ends it and removes the folder. */
export async function temporaryClickHouse(options: Partial<EmbeddedClickHouseOptions> = {}) {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const clickhouse = await startEmbeddedClickHouse({ log: silentLog, ...options, dataDir });
  const client = clientOf(clickhouse);
  return {
    dataDir,
    clickhouse,
    client,
    /** Runs a SELECT and returns its rows as objects. */
    async rows<T>(query: string, params: Record<string, unknown> = {}): Promise<T[]> {
      const result = await client.query({ query, query_params: params, format: "JSONEachRow" });
      return result.json<T>();
    },
    async dispose() {
      await client.close();
      await clickhouse.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
