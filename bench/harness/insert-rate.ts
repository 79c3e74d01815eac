import { clickhouseEventStore } from "@assay/storage";
import { createClient } from "@clickhouse/client";
import { startEngine } from "./engine.ts";
import { cpuSeconds, peakRssMiB } from "./process-stat.ts";

const ROWS_PER_INSERT = 5_000;

/**
 * Measures how fast the official client inserts the same kind of rows into the same tables of an equal
 * engine: without HTTP in front, without a queue and without looking up stored ids.
 */
export async function insertRate(count: number) {
  const engine = await startEngine();
  const { url, username, password } = engine;
  const store = clickhouseEventStore({ url, username, password });
  await store.migrate();
  await store.close();
  const client = createClient({ url, username, password });
  const insert = (first: number) =>
    client.insert({ table: "raw_events", format: "JSONEachRow", values: rowsFrom(first) });
  await insert(count);
  const { pid } = engine;
  if (pid === null) throw new Error("The event engine has ended.");
  const own = process.cpuUsage();
  const before = cpuSeconds(pid);
  const startedAt = performance.now();
  for (let first = 0; first < count; first += ROWS_PER_INSERT) await insert(first);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(own);
  const cpu = (cpuSeconds(pid) - before) * 1e6 + user + system;
  const note = `peak RSS ${peakRssMiB(pid).toFixed(0)} MiB`;
  await client.close();
  await engine.close();
  return { perSecond: count / seconds, cpuUsPerEvent: cpu / count, note };
}

/** The columns that the service stores for an event of `eventBatches`. */
function rowsFrom(first: number): readonly object[] {
  const now = Date.now();
  return Array.from({ length: ROWS_PER_INSERT }, (_, index) => ({
    org_id: "0199f3c2-77aa-7c3d-9f10-000000000001",
    experiment_id: "0199f3c2-77aa-7c3d-9f10-3a5b7c9d1e2f",
    user_id: `user-${Math.floor((first + index) / 4)}`,
    event_id: `0199f3c2-77aa-7000-8a5c-${String(first + index).padStart(12, "0")}`,
    type: "model_call",
    occurred_at: now,
    received_at: now,
    variant: "base",
    latency_ms: 812.4,
    time_to_first_token_ms: 203.1,
    input_tokens: 1204,
    output_tokens: 388,
    cost_usd: 0.00184,
    error: 0,
    model: "gpt-4.1-mini-2025-04-14",
    provider: "openai",
    metadata: '{"release":"2026.11.3","region":"eu-central-1","surface":"assistant-panel","locale":"en-GB"}',
  }));
}
