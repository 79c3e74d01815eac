import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";
import { sized } from "./sized.ts";

const POLL_MS = sized(250, 20);
const QUIET_POLLS = 4;

/** Queries the engine for one row of numbers. */
export async function numbers(client: ClickHouseClient, query: string): Promise<readonly number[]> {
  const answer = await client.query({ query, format: "JSONCompactEachRow" });
  const [row] = (await answer.json()) as readonly (readonly unknown[])[];
  if (row === undefined) throw new Error(`No row: ${query}`);
  return row.map(Number);
}

/** Waits until the engine has finished its merges, so that they do not run during a measurement. */
export async function mergesEnd(client: ClickHouseClient): Promise<void> {
  for (let quiet = 0; quiet < QUIET_POLLS; quiet++) {
    await sleep(POLL_MS);
    const [merges] = await numbers(client, "SELECT count() FROM system.merges");
    if (merges !== 0) quiet = 0;
  }
}
