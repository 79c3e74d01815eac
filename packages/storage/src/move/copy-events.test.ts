import { DAY_MS, EVENT_TYPES, type EventStore, type StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answersOf, BEFORE, storeOfBefore } from "../contract-tests/copied-ids.ts";
import { onEachNode } from "../contract-tests/on-each-node.ts";
import { storedEvent, T0, wholeEvent } from "../contract-tests/stored-event.ts";
import { createTestDatabase, type TestDatabase } from "../contract-tests/test-servers.ts";
import { clickhouseEventStore, eventStoreOn } from "../events/clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../events/embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../events/engine/engine-client.ts";
import { type EventEngine, findPlacement, placedEngine } from "../events/engine/event-engine.ts";
import { ANALYSIS_COLUMNS, RAW_COLUMNS } from "../events/schema/event-columns.ts";
import { restoreEventIds } from "../events/schema/migrate-schema.ts";
import { BOTH_MS } from "../events/write/copy-ids.ts";
import { type EventsMove, openEventsMove } from "./copy-events.ts";
import { EVENT_TABLES } from "./event-table.ts";

/** Limits of a chunk. */
const MOST_ROWS = {
  "raw events": 32_768,
  "analysis log": 131_072,
  "superseded ids": 131_072,
  "event ids": 131_072,
};
/** Calls of one user: more rows than a chunk has, more bytes than a chunk has, and some whose raw events were swept. */
const BUSY = 40_000;
const LARGE = 30;
const SWEPT = 50;
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  raw_events: Object.keys(RAW_COLUMNS),
  analysis: Object.keys(ANALYSIS_COLUMNS),
  superseded_ids: ["org_id", "event_id", "experiment_id"],
  stored_ids: ["hex(id)", "org_id", "received_at", "is_public"],
};

const HOSTILE = [
  "",
  " ",
  "'",
  "\\",
  "\\'",
  "a\tb\nc",
  "ü",
  "🎈",
  "\u{10FFFF}",
  "{after_0: String}",
  "user 10",
  "user 9",
];

/** Every field, keys that are hard to compare, an event received twice on different days, and all kinds of values. */
const EVENTS = EVENT_TYPES.map((type) => wholeEvent(type, { userId: "whole" })).concat(
  HOSTILE.flatMap((userId, i): readonly StoredEvent[] =>
    HOSTILE.map((text, j) =>
      storedEvent({
        userId,
        eventId: `${i} ${j} ${text}`,
        experimentId: `exp ${text}`,
        receivedAt: T0 + (j % 4) * DAY_MS,
        type: "model_call",
        variant: i % 2 ? "a" : "b",
        latencyMs: [null, 0, -0, 5e-324, Number.MAX_VALUE, 1 / 3][j % 6] ?? null,
        error: [null, true, false][i % 3] ?? null,
        prompt: text.repeat(50),
        model: j % 2 ? text : null,
      }),
    ),
  ),
);

/** Ids that a publishable key used, and then a secret one. */
const FORGED = HOSTILE.flatMap((text) =>
  ["forged", "own"].map((word) =>
    storedEvent({ userId: `user ${text}`, eventId: `${word} ${text}`, source: "publishable" }),
  ),
);

const TARGETS = [
  { name: "a server", variable: "ASSAY_TEST_EVENTS_URL", cluster: null },
  { name: "a cluster of two shards", variable: "ASSAY_TEST_EVENTS_CLUSTER_URLS", cluster: "assay" },
] as const;

for (const { name, variable, cluster } of TARGETS) {
  const urls = process.env[variable];
  if (urls)
    describe(`events that are copied to ${name}`, () => {
      onServers(urls.split(","), cluster);
      fromBefore(urls.split(","), cluster);
    });
  else {
    console.warn(`NOT RUN: copying events to ${name}. Set ${variable} to run it.`);
    test.skip(`NOT RUN: copying events to ${name} (${variable} is not set)`, () => {});
  }
}

function onServers(urls: readonly string[], cluster: string | null): void {
  let source: Awaited<ReturnType<typeof temporaryClickHouse>>;
  let database: TestDatabase;
  let nodes: readonly EngineClient[];
  let here: EngineClient;
  let there: EventEngine;
  let move: EventsMove;

  beforeAll(async () => {
    source = await temporaryClickHouse();
    here = engineClient(clientOf(source.clickhouse));
    const store = clickhouseEventStore(source.clickhouse);
    await store.migrate();
    await fillSource(store, here);
    await store.close();
    database = await createTestDatabase(urls);
    nodes = database.connect();
    const target = onEachNode(nodes);
    await eventStoreOn(target, cluster).migrate();
    there = placedEngine(target, await findPlacement(target));
    const [first = ""] = database.urls;
    move = openEventsMove(source.clickhouse, addressOf(first));
  });
  afterAll(async () => {
    await move.close();
    await there.close();
    await database.drop();
    await here.close();
    await source.dispose();
  });

  /** Copies, and returns what was found at the target and what was sent. */
  const copy = async () => {
    const chunks: { readonly title: string; readonly rows: number; readonly isThere: boolean }[] = [];
    const parts = await move.copy({
      onChunk: (title, rows, isThere) => chunks.push({ title, rows, isThere }),
    });
    const sent = chunks.filter(({ isThere }) => !isThere);
    return { parts, chunks, sent, differing: parts.filter(({ isEqual }) => !isEqual) };
  };

  test("arrive whole, in chunks of bounded size", async () => {
    expect(await move.isTargetEmpty()).toBe(true);
    const { parts, chunks } = await copy();
    expect(await move.isTargetEmpty()).toBe(false);
    // A forged row and its owner's have one key in the logs, and each its own among the ids.
    const rows = EVENTS.length + FORGED.length + BUSY + LARGE;
    const ofPart = (name: string, count: number) => ({ name, source: count, target: count, isEqual: true });
    expect(parts).toEqual([
      ofPart("raw events", rows),
      ofPart("analysis log", rows + SWEPT),
      ofPart("superseded ids", FORGED.length),
      ofPart("event ids", EVENTS.length + 2 * FORGED.length),
    ]);
    for (const { title, rows: size } of chunks)
      expect(size).toBeLessThanOrEqual(MOST_ROWS[title as keyof typeof MOST_ROWS]);
    const large = chunks.filter(({ title, rows: size }) => title === "raw events" && size < LARGE);
    expect(large.length).toBeGreaterThan(1);
  });

  test.each(EVENT_TABLES.map(({ name }) => name))("%s read the same at both ends", async (table) => {
    const others = COLUMNS[table]?.includes("user_id") ? "WHERE user_id != 'busy'" : "";
    const query = `SELECT ${COLUMNS[table]} FROM ${table} FINAL ${others} ORDER BY ALL`;
    const rows = await here.rows(query, {});
    expect(rows.length).toBeGreaterThan(HOSTILE.length);
    expect(await there.rows(query, {})).toEqual(rows);
  });

  test("are found at the target by the next run, which sends nothing", async () => {
    const { sent, differing, chunks } = await copy();
    expect({ sent, differing }).toEqual({ sent: [], differing: [] });
    expect(chunks.length).toBeGreaterThan(3);
  });

  test("are sent again only where the target lost some", async () => {
    const lose = `ALTER TABLE ${there.onNodes("raw_events")} DELETE WHERE user_id = 'ü'`;
    await there.command(lose, {}, { mutations_sync: "1" });
    const { sent, differing, chunks } = await copy();
    expect(differing).toEqual([]);
    expect(new Set(sent.map(({ title }) => title))).toEqual(new Set(["raw events"]));
    expect(sent.length).toBeLessThan(chunks.filter(({ title }) => title === "raw events").length);
  });

  test("are reported as different when the target has more", async () => {
    await there.insert("stored_ids", ["org_id", "event_id", "received_at"], ['["org", "foreign", 1]\n']);
    const { differing } = await copy();
    expect(differing.map(({ name }) => name)).toEqual(["event ids"]);
  });
}

function fromBefore(urls: readonly string[], cluster: string | null): void {
  test("ids of a folder of the version before arrive as text, and are copied at the target", async () => {
    const source = await temporaryClickHouse();
    const here = engineClient(clientOf(source.clickhouse));
    await storeOfBefore({ engine: here, cluster: null });
    const database = await createTestDatabase(urls);
    const target = onEachNode(database.connect());
    const store = eventStoreOn(target, cluster);
    await store.migrate();
    // The nodes of the test have no Keeper, so a move cannot create tables on all of them.
    if (cluster !== null) await restoreEventIds(target, cluster);
    const [first = ""] = database.urls;
    for (let run = 0; run < 2; run++) {
      const move = openEventsMove(source.clickhouse, addressOf(first));
      const parts = await move.copy({ onChunk: () => {} });
      expect(parts.at(-1)).toEqual({
        ...{ name: "event ids", source: BEFORE.length, target: BEFORE.length, isEqual: true },
      });
      await move.close();
    }
    const later = eventStoreOn(target, cluster);
    const expected = await answersOf(later);
    expect(expected).toMatchObject({ repeated: [], total: BEFORE.length });
    for (const now of [Date.now(), Date.now() + BOTH_MS]) while (await later.continueUpgrade(now));
    expect(await target.rows("SELECT count() FROM stored_ids FINAL", {})).toEqual([[BEFORE.length]]);
    expect(await answersOf(later)).toEqual(expected);
    for (const opened of [store, later]) await opened.close();
    await database.drop();
    await here.close();
    await source.dispose();
  });
}

/** The address of a URL with credentials and a database. */
function addressOf(text: string) {
  const { origin, pathname, username, password } = new URL(text);
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: origin, ...login, database: pathname.slice(1) };
}

/** Adds an event received twice, a busy user whose raw events were swept, and calls with large texts. */
async function fillSource(store: EventStore, engine: EngineClient): Promise<void> {
  await store.append(EVENTS);
  for (const source of ["publishable", "secret"] as const)
    await store.append(FORGED.map((event) => ({ ...event, source })));
  await store.appendUnmetered(EVENTS.slice(0, 5).map((event) => ({ ...event, receivedAt: T0 + 5 * DAY_MS })));
  const insert = (user: string, day: number, rest: string) =>
    engine.command(
      `INSERT INTO raw_events (org_id, experiment_id, user_id, type, received_at, event_id, latency_ms, prompt)
       SELECT 'org', 'exp', '${user}', 'model_call', fromUnixTimestamp64Milli(toInt64(${day})), ${rest}`,
    );
  const numbered = (user: string) => `concat('${user} ', toString(number))`;
  await insert("swept", T0 - 10 * DAY_MS, `${numbered("swept")}, number / 3, '' FROM numbers(${SWEPT})`);
  await engine.command(`ALTER TABLE raw_events DROP PARTITION ID '20260228'`);
  await insert("busy", T0 - DAY_MS, `${numbered("busy")}, number / 3, '' FROM numbers(${BUSY})`);
  const large = "repeat('0123456789', 100000)";
  await insert("large", T0 - DAY_MS, `${numbered("large")}, 1, ${large} FROM numbers(${LARGE})`);
}
