import { randomUUID } from "node:crypto";
import type { StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storedEvent } from "../../contract-tests/stored-event.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { appendEvents } from "./append.ts";

/** The embedded engine takes no larger body. */
const LARGEST_BODY = 64 * 1024 * 1024;

let engine: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  engine = await temporaryClickHouse();
  const store = clickhouseEventStore(engine.clickhouse);
  await store.migrate();
  await store.close();
});
afterAll(() => engine.dispose());

interface Insert {
  readonly table: string;
  bytes: number;
}

/** Appends and returns which inserts that took. */
async function insertsOf(events: readonly StoredEvent[]): Promise<readonly Insert[]> {
  const inserts: Insert[] = [];
  const client = engineClient(engine.client);
  const watched: EngineClient = {
    ...client,
    insert(table, columns, lines, settings) {
      const insert = { table, bytes: 0 };
      inserts.push(insert);
      const counted = async function* () {
        for await (const line of lines) {
          insert.bytes += Buffer.byteLength(line);
          yield line;
        }
      };
      return client.insert(table, columns, counted(), settings);
    },
  };
  await appendEvents(watched, events);
  return inserts;
}

async function countStored(orgId: string, table: string): Promise<number> {
  const sql = `SELECT toUInt32(count()) AS count FROM ${table} WHERE org_id = {orgId: String}`;
  return (await engine.rows<{ count: number }>(sql, { orgId }))[0]?.count ?? 0;
}

const call = (orgId: string, prompt: string | null) =>
  storedEvent({ orgId, type: "model_call", latencyMs: 812.4, inputTokens: 1204, costUsd: 0.00184, prompt });

test("5,000 events without text are one insert per table", async () => {
  const orgId = randomUUID();
  const inserts = await insertsOf(Array.from({ length: 5_000 }, () => call(orgId, null)));
  expect(inserts.map(({ table }) => table)).toEqual(["raw_events", "event_ids"]);
  for (const table of ["raw_events", "analysis", "event_ids"])
    expect(await countStored(orgId, table)).toBe(5_000);
});

test.each([
  { name: "in ASCII", text: "a" },
  { name: "of three bytes per character", text: "€" },
  { name: "that JSON escapes with six characters each", text: "\u0001" },
])("large texts $name take several inserts, each small enough", async ({ text }) => {
  const orgId = randomUUID();
  const prompt = text.repeat(300_000);
  const inserts = await insertsOf(Array.from({ length: 60 }, () => call(orgId, prompt)));
  const logged = inserts.filter(({ table }) => table === "raw_events");
  expect(logged.length).toBeGreaterThan(1);
  for (const { bytes } of logged) expect(bytes).toBeLessThan(LARGEST_BODY / 2);
  expect(inserts.at(-1)?.table).toBe("event_ids");
  expect(await countStored(orgId, "raw_events")).toBe(60);
});
