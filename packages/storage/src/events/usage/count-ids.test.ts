import { DAY_MS, dayOf, monthOf } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { createIdCounts } from "./count-ids.ts";

const MARCH = Date.UTC(2026, 2, 1);
const APRIL = Date.UTC(2026, 3, 1);
const MONTHS = 12;
const IDS_PER_MONTH = 20_000;

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
let client: ReturnType<typeof clientOf>;
let engine: EngineClient;
let databases = 0;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

let database: string;
beforeEach(async () => {
  database = `counts_${++databases}`;
  await server.client.command({ query: `CREATE DATABASE ${database}` });
  client = clientOf(server.clickhouse, { database });
  engine = engineClient(client);
  await migrate();
  return () => client.close();
});

async function migrate(): Promise<void> {
  const store = clickhouseEventStore({ ...server.clickhouse, database });
  await store.migrate();
  await store.close();
}

/** Writes ids as appends do: time-ordered, one part per month, in months of 30 days from March on. */
async function fillYear(): Promise<void> {
  for (let month = 0; month < MONTHS; month++)
    await engine.command(
      `INSERT INTO stored_ids (org_id, event_id, received_at)
       SELECT 'org', leftPad(toString(at), 20, '0'), fromUnixTimestamp64Milli(toInt64(at))
       FROM (SELECT {from: UInt64} + number * {step: UInt64} AS at FROM numbers({count: UInt64}))`,
      { from: MARCH + month * 30 * DAY_MS, step: (30 * DAY_MS) / IDS_PER_MONTH, count: IDS_PER_MONTH },
    );
}

const ids = (...rows: readonly (readonly [id: string, at: number, isPublic?: 0 | 1])[]) =>
  engine.insert(
    "stored_ids",
    ["org_id", "event_id", "received_at", "is_public"],
    rows.map(([id, at, isPublic = 0]) => `${JSON.stringify(["org", id, at, isPublic])}\n`),
  );
const STORED = async () => "stored_ids" as const;
const counts = () => createIdCounts(async () => engine, STORED);
const countOf = async (at: number) => (await counts().countReceived(["org"], monthOf(at)))[0];
/** How many rows the last query of a count reads. */
async function rowsRead(count: (counted: ReturnType<typeof createIdCounts>) => Promise<unknown>) {
  const asked: Parameters<EngineClient["rows"]>[] = [];
  const spy: EngineClient = {
    ...engine,
    rows: (...query) => {
      asked.push(query);
      return engine.rows(...query);
    },
  };
  await count(createIdCounts(async () => spy, STORED));
  const [query, query_params, clickhouse_settings] = asked.at(-1)!;
  const answer = await client.query({ query, query_params, clickhouse_settings, format: "JSON" });
  return (await answer.json<unknown>()).statistics!.rows_read;
}

test("a count reads the ids of its month, not all that the org ever had", async () => {
  await fillYear();
  const april = { from: APRIL, until: APRIL + 30 * DAY_MS };
  expect(await countOf(APRIL)).toBe(IDS_PER_MONTH);
  for (const count of [
    (of: ReturnType<typeof counts>) => of.countReceived(["org"], monthOf(APRIL)),
    (of: ReturnType<typeof counts>) => of.countPublicByDay("org", april),
  ]) {
    // The month and the one before it, of which a week counts.
    expect(await rowsRead(count)).toBeLessThanOrEqual(2.1 * IDS_PER_MONTH);
  }
});

test("an id that two processes wrote around midnight counts once, in the month that had it first", async () => {
  await engine.command("SYSTEM STOP MERGES stored_ids");
  await ids(["twin", APRIL - 1_000], ["march", MARCH], ["open", APRIL - 1, 1]);
  await ids(["twin", APRIL + 1_000], ["april", APRIL], ["open", APRIL + DAY_MS - 1, 1]);
  await ids(["april", APRIL + 20 * DAY_MS]);
  expect([await countOf(MARCH), await countOf(APRIL)]).toEqual([3, 1]);
  const byDay = (from: number, until: number) => counts().countPublicByDay("org", { from, until });
  expect([...(await byDay(APRIL - DAY_MS, APRIL))]).toEqual([[dayOf(APRIL - 1), 1]]);
  expect([...(await byDay(APRIL, APRIL + 30 * DAY_MS))]).toEqual([]);
});
