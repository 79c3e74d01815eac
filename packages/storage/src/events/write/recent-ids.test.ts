import { createHash, randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import { createDatabase } from "../../contract-tests/empty-database.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { eventIdsStep, findIdPlace } from "../schema/id-tables.ts";
import { applyChanges } from "../schema/statements.ts";
import { appender } from "./append.ts";
import { BOTH_MS } from "./copy-ids.ts";
import { RecentIds, type RecentIdsOptions } from "./recent-ids.ts";

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
let engine: EngineClient;
beforeAll(async () => {
  server = await temporaryClickHouse();
  engine = await emptyEngine();
});
afterAll(async () => {
  await engine.close();
  await server.dispose();
});

/** Connects to a database of its own, with the tables of events. */
async function emptyEngine() {
  return engineClient(clientOf(server.clickhouse, { database: await createDatabase(server) }));
}

interface Watched {
  readonly store: EventStore;
  /** How many look-ups there were. */
  readonly lookUps: () => number;
  /** What was logged. */
  readonly said: readonly string[];
  /** Resolves when something is logged as information. */
  readonly settled: Promise<void>;
}

/** Opens a store as the only writer's, whose engine `change` may disturb. */
function onlyWriter({
  on = engine,
  change = {},
  ...options
}: Partial<RecentIdsOptions> & { on?: EngineClient; change?: Partial<EngineClient> } = {}): Watched {
  let lookUps = 0;
  const said: string[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const log = {
    warn: (_: object, message: string) => void said.push(message),
    info: (_: object, message: string) => {
      said.push(message);
      resolve();
    },
  };
  const changed: EngineClient = { ...on, ...change };
  const watched: EngineClient = {
    ...changed,
    rows: (sql, ...more) => {
      lookUps += Number(sql.includes("PREWHERE id GLOBAL IN"));
      return changed.rows(sql, ...more);
    },
    close: async () => {},
  };
  const recent = new RecentIds({ log, ...options });
  return { store: eventStoreOn(watched, null, {}, recent), lookUps: () => lookUps, said, settled };
}

let made = 0;

/** An id like a random one, but the same in every run: of 3,000 new random ids, the filters take one for stored, and the engine is asked about it. */
function nextId(): string {
  made += 1;
  const digits = createHash("sha256").update(String(made)).digest("hex");
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}

const HOUR = 3_600_000;

/** A UUIDv7 that was made so many milliseconds after the test began. */
function timeOrderedId(after: number): string {
  const at = (STARTED_AT + after).toString(16).padStart(12, "0");
  return `${at.slice(0, 8)}-${at.slice(8)}-7${nextId().slice(15)}`;
}
const STARTED_AT = Date.now();

const sale = (fields: Partial<StoredEvent> = {}): StoredEvent =>
  storedEvent({
    ...{ orgId: "org", eventId: nextId(), type: "business_event", businessMetric: "revenue", value: 1 },
    ...{ occurredAt: T0, receivedAt: T0, source: "secret", ...fields },
  });
const sales = (count: number, fields: Partial<StoredEvent> = {}) =>
  Array.from({ length: count }, () => sale(fields));
const idsOf = (events: readonly StoredEvent[]) => events.map(({ eventId }) => eventId).toSorted();

const IN_MEMORY = "The recent ids are in memory";
const READ_AGAIN = "The recent ids could not be read; they will be read again";
const DO_NOT_FIT = "The recent ids do not fit in memory: the event store is asked about each";

test("events that come again after a restart are refused while the ids are loaded, and after", async () => {
  const stored = [...sales(50), sale({ eventId: "as text" })];
  await eventStoreOn(engine, null).append(stored);
  const gate = Promise.withResolvers<void>();
  const { store, lookUps, settled, said } = onlyWriter({
    change: {
      rowBinary: async (...query) => {
        const page = await engine.rowBinary(...query);
        await gate.promise;
        return page;
      },
    },
  });
  const early = sale();
  expect(idsOf(await store.append([...stored, early]))).toEqual([early.eventId]);
  const between = sales(3);
  expect(await store.append(between)).toHaveLength(3);
  expect(lookUps()).toBe(2);
  gate.resolve();
  await settled;
  expect(said).toEqual([IN_MEMORY]);
  expect(await store.append([...stored, ...between, early])).toEqual([]);
  const asked = lookUps();
  const fresh = sales(20);
  expect(await store.append(fresh)).toHaveLength(20);
  expect(lookUps()).toBe(asked);
  expect(await store.append(fresh)).toEqual([]);
  expect(lookUps()).toBe(asked + 1);
});

test("ids are loaded in pages, also those that several orgs have", async () => {
  const stored = sales(40);
  const others = stored.map((event, i) => ({ ...event, orgId: `org ${i % 2}` }));
  const before = eventStoreOn(engine, null);
  await before.append(stored);
  await before.append(others);
  for (const idsPerPage of [7, 80]) {
    const { store, settled } = onlyWriter({ idsPerPage });
    await store.append([]);
    await store.append(sales(1));
    await settled;
    expect(await store.append([...stored, ...others])).toEqual([]);
  }
});

test("an id that orgs had in different weeks is remembered as long as the last one, wherever pages end", async () => {
  const own = await emptyEngine();
  const [early, late, now] = [T0, T0 + 10 * DAY_MS, T0 + 43.5 * DAY_MS];
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const of = (orgId: string, at: number) => ids.map((eventId) => sale({ orgId, eventId, receivedAt: at }));
  // One insert, so that the rows of an id follow each other, the earlier one first.
  await eventStoreOn(own, null).append([...of("one", early), ...of("two", late)]);
  const { store, settled } = onlyWriter({ on: own, idsPerPage: 1 });
  await store.append(sales(1, { receivedAt: late }));
  await settled;
  await store.append(sales(1, { receivedAt: now }));
  const again = of("two", now).map((event) => ({ ...event, occurredAt: late }));
  expect(await store.append(again)).toEqual([]);
  await own.close();
});

test("a page that cannot be read is read again, and until then every id is asked for", async () => {
  const stored = sales(30);
  await eventStoreOn(engine, null).append(stored);
  let reads = 0;
  const retry = Promise.withResolvers<void>();
  const { store, lookUps, said, settled } = onlyWriter({
    ...{ idsPerPage: 10, retryMs: 1 },
    change: {
      rowBinary: async (...query) => {
        reads += 1;
        if (reads === 2) throw new Error("cut off");
        if (reads > 2) await retry.promise;
        return engine.rowBinary(...query);
      },
    },
  });
  await store.append(sales(1));
  await expect.poll(() => said).toEqual([READ_AGAIN]);
  expect(await store.append([...stored, ...sales(2)])).toHaveLength(2);
  expect(lookUps()).toBe(2);
  retry.resolve();
  await settled;
  expect(said).toEqual([READ_AGAIN, IN_MEMORY]);
  expect(await store.append(stored)).toEqual([]);
  expect(await store.append(sales(5))).toHaveLength(5);
  expect(lookUps()).toBe(3);
});

test("a closed store reads no more", async () => {
  let reads = 0;
  const { store, said } = onlyWriter({
    retryMs: 1,
    change: {
      rows: async (sql, ...more) => {
        if (!sql.includes("GROUP BY week")) return engine.rows(sql, ...more);
        reads += 1;
        throw new Error("cut off");
      },
    },
  });
  await store.append(sales(1));
  await expect.poll(() => reads).toBeGreaterThan(2);
  await store.close();
  const before = { reads, said: said.length };
  await store.append(sales(1));
  expect({ reads, said: said.length }).toEqual(before);
  expect(new Set(said)).toEqual(new Set([READ_AGAIN]));
});

describe("an append that failed halfway", () => {
  test.each([
    { when: "before the events were stored", table: "raw_events", isStored: false, again: 3 },
    { when: "before the ids were stored", table: "stored_ids", isStored: false, again: 3 },
    { when: "after the ids were stored", table: "stored_ids", isStored: true, again: 0 },
  ])("$when is completed by its repeat", async ({ table, isStored, again }) => {
    let isFailing = false;
    const { store, settled } = onlyWriter({
      change: {
        insert: async (into, columns, lines) => {
          if (into !== table || !isFailing) return engine.insert(into, columns, lines);
          if (isStored) await engine.insert(into, columns, lines);
          throw new Error("cut off");
        },
      },
    });
    await store.append(sales(1));
    await settled;
    const orgId = randomUUID();
    const events = sales(3, { orgId });
    isFailing = true;
    await expect(store.append(events)).rejects.toThrow("cut off");
    isFailing = false;
    expect(await store.append(events)).toHaveLength(again);
    expect(await store.append(events)).toEqual([]);
    const ids = "SELECT uniqExact(id) FROM stored_ids WHERE org_id = {orgId: String}";
    expect(await engine.rows(ids, { orgId })).toEqual([[3]]);
  });
});

test("ids that do not fit are all asked for", async () => {
  const stored = sales(30);
  await eventStoreOn(engine, null).append(stored);
  const { store, lookUps, said, settled } = onlyWriter({ maxBytes: 64 });
  await store.append(sales(1));
  await settled;
  expect(await store.append([...stored, ...sales(2)])).toHaveLength(2);
  await store.append(sales(1));
  expect({ lookUps: lookUps(), said }).toEqual({ lookUps: 3, said: [DO_NOT_FIT] });
});

test("ids that no longer fit are all asked for", async () => {
  // The filter of a first week takes 163,840 bytes.
  const { store, lookUps, said, settled } = onlyWriter({ maxBytes: 170_000 });
  const first = sales(3);
  await store.append(first);
  await settled;
  const asked = lookUps();
  const later = { occurredAt: T0 + 7 * DAY_MS, receivedAt: T0 + 7 * DAY_MS };
  const second = sales(2, later);
  expect(await store.append(second)).toHaveLength(2);
  expect({ lookUps: lookUps(), said }).toEqual({ lookUps: asked, said: [IN_MEMORY, DO_NOT_FIT] });
  expect(await store.append([...first, ...second, ...sales(1, later)])).toHaveLength(1);
  expect(lookUps()).toBe(asked + 1);
});

test("as long as ids are stored as text, nothing is loaded", async () => {
  const older = await emptyEngine();
  await applyChanges(older, eventIdsStep(null));
  const stored = sales(3);
  // As a version before the view stored them.
  await older.command("DROP TABLE event_ids_to_stored_ids");
  await appender(async () => ({ engine: older, place: "event_ids" }))(stored);
  let reads = 0;
  const { store, settled } = onlyWriter({
    on: older,
    change: {
      rows: (sql, ...more) => {
        reads += Number(sql.includes("GROUP BY week"));
        return older.rows(sql, ...more);
      },
    },
  });
  expect(await store.append(stored)).toEqual([]);
  while (await store.continueUpgrade(Date.now()));
  expect(await findIdPlace(older)).toBe("both");
  expect(await store.append(stored)).toEqual([]);
  expect(reads).toBe(0);
  while (await store.continueUpgrade(Date.now() + BOTH_MS));
  expect(await store.append(stored)).toEqual([]);
  await settled;
  expect(await store.append(stored)).toEqual([]);
  expect(reads).toBe(1);
  await older.close();
});

const ago = (days: number): Partial<StoredEvent> => ({
  occurredAt: T0 - days * DAY_MS,
  receivedAt: T0 - days * DAY_MS,
});
test.each<{ what: string; event: Partial<StoredEvent>; isAsked: boolean }>([
  { what: "a random id", event: {}, isAsked: false },
  { what: "an id of a publishable key", event: { source: "publishable" }, isAsked: true },
  { what: "a time-ordered id from before the start", event: { eventId: timeOrderedId(-1) }, isAsked: true },
  { what: "a new time-ordered id", event: { eventId: timeOrderedId(HOUR) }, isAsked: false },
  {
    what: "one of a publishable key",
    event: { eventId: timeOrderedId(HOUR), source: "publishable" },
    isAsked: false,
  },
  { what: "one of an old event", event: { eventId: timeOrderedId(HOUR), occurredAt: 0 }, isAsked: false },
  { what: "an old event", event: { occurredAt: T0 - 40 * DAY_MS }, isAsked: true },
  { what: "an event that waited for a day", event: ago(1), isAsked: false },
  { what: "an event that waited for nine days", event: ago(9), isAsked: true },
])("for $what, the engine is asked: $isAsked", async ({ event, isAsked }) => {
  const { store, lookUps, settled } = onlyWriter();
  await store.append(sales(1));
  await settled;
  const asked = lookUps();
  expect(await store.append([sale(event)])).toHaveLength(1);
  expect(lookUps() - asked).toBe(Number(isAsked));
});

test("an id that a publishable key sent is the secret key's once it sends it", async () => {
  const { store, settled } = onlyWriter();
  const open = sale({ source: "publishable" });
  await store.append([open]);
  await settled;
  const trusted = { ...open, source: "secret" } as const;
  expect(await store.append([trusted])).toEqual([trusted]);
  expect(await store.append([trusted])).toEqual([]);
  expect(await store.append([open])).toEqual([]);
});

test("the ids of months take no more memory than those of weeks", async () => {
  // Eight filters of 163,840 bytes.
  const { store, lookUps, said, settled } = onlyWriter({ maxBytes: 8 * 163_840 });
  await store.append(sales(1));
  await settled;
  const asked = lookUps();
  for (let week = 1; week <= 12; week++) await store.append(sales(1, ago(-7 * week)));
  expect({ lookUps: lookUps(), said }).toEqual({ lookUps: asked, said: [IN_MEMORY] });
});

/** An append of one of few ids, or a restart. */
type Step = "restart" | { readonly id: number; readonly event: Partial<StoredEvent> };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant("restart" as const) },
  {
    weight: 12,
    arbitrary: fc
      .record({
        id: fc.nat(6),
        day: fc.constantFrom(0, 1, 34, 35, 36, 43, 50, 400),
        age: fc.constantFrom(0, 1, 34 * DAY_MS, 34 * DAY_MS + 1, 36 * DAY_MS),
        edge: fc.constantFrom(-1, 0, 1),
        source: fc.constantFrom("secret" as const, "publishable" as const),
      })
      .map(({ id, day, age, edge, source }) => {
        const receivedAt = T0 + day * DAY_MS + edge;
        return { id, event: { source, receivedAt, occurredAt: receivedAt - age } };
      }),
  },
);

test("the only writer stores and refuses the same as one that asks for every id", async () => {
  const plain = await emptyEngine();
  const reference = eventStoreOn(plain, null);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const ids = [
        ...[`order ${randomUUID()}`, randomUUID(), randomUUID(), randomUUID()],
        ...[-HOUR, 0, HOUR].map((after) => timeOrderedId(Date.now() - STARTED_AT + after)),
      ];
      const orgId = randomUUID();
      const limits = { timeOrdered: { least: 1, most: 2 } };
      let { store, settled } = onlyWriter(limits);
      for (const each of steps) {
        if (each === "restart") {
          await store.close();
          ({ store, settled } = onlyWriter(limits));
          continue;
        }
        const event = sale({ orgId, ...each.event, eventId: ids[each.id]! });
        const expected = await reference.append([event]);
        expect(await store.append([event])).toEqual(expected);
        await settled;
      }
      await store.close();
    }),
    { numRuns: inNight(3, 100) },
  );
  await plain.close();
});
