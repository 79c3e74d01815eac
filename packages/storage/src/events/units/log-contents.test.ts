import { DAY_MS, type EventStore, type StoredEvent, startOfDay } from "@assay/domain";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { emptyDatabase } from "../../contract-tests/empty-database.ts";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { type EventEngine, placedEngine } from "../engine/event-engine.ts";
import { loadLogContents } from "./log-contents.ts";
import { LOG_MARK, tokenMark } from "./logged-events.ts";

const server = await temporaryClickHouse();
afterAll(() => server.dispose());

const DAY = startOfDay(new Date(T0).toISOString().slice(0, 10) as never);
const NONE = { overruled: "0 0", listed: { parts: [], rawSince: Number.POSITIVE_INFINITY } };
const ORG = { orgId: "org", experimentId: null };

let client: EngineClient;
let store: EventStore;
let engine: EventEngine;
/** The parts that were read, by question. */
let read: (readonly string[])[];
let beforeRead: () => Promise<void>;
beforeEach(async () => {
  const database = await emptyDatabase(server);
  client = engineClient(clientOf(server.clickhouse, { database }));
  store = eventStoreOn(client, null);
  await client.command("SYSTEM STOP MERGES analysis");
  read = [];
  beforeRead = async () => {};
  const heard: EngineClient = {
    ...client,
    async rowBinary(sql, params, settings) {
      read.push(params.parts as readonly string[]);
      await beforeRead();
      return client.rowBinary(sql, params, settings);
    },
  };
  engine = placedEngine(heard, { database, cluster: null });
  return () => client.close();
});

const call = (eventId: string, fields: Partial<StoredEvent> = {}) =>
  storedEvent({ type: "model_call", eventId, occurredAt: T0, receivedAt: T0 + DAY_MS, ...fields });
const merge = async () => {
  await client.command("SYSTEM START MERGES analysis");
  await client.command("OPTIMIZE TABLE analysis FINAL");
};
/** How many events of each experiment occurred on the day. */
const counts = async (
  scope: Parameters<typeof loadLogContents>[1] = ORG,
  how: Parameters<typeof loadLogContents>[2] = {},
) => {
  const { byExperiment } = await loadLogContents(engine, scope, how);
  return Object.fromEntries(
    [...byExperiment].map(([id, logged]) => [id, logged.reduce((sum, { events }) => sum + events, 0)]),
  );
};

test("are told by experiment and by the days of occurrence and of receipt", async () => {
  await store.append([
    call("a", { inputTokens: 1, occurredAt: T0 + 5 }),
    call("b", { occurredAt: T0 + 7 }),
    call("c", { receivedAt: T0 + 2 * DAY_MS, reasoningTokens: 2 }),
    call("d", { experimentId: "other", occurredAt: T0 - DAY_MS }),
    call("e", { orgId: "stranger" }),
  ]);
  const { counted, byExperiment } = await loadLogContents(engine, ORG);
  expect(counted).toBe("1");
  expect([...byExperiment.keys()].sort()).toEqual(["exp", "other"]);
  const of = byExperiment.get("exp")!.toSorted((one, other) => one.receivedOn - other.receivedOn);
  expect(of).toEqual([
    {
      ...{ occurredOn: DAY, receivedOn: DAY + DAY_MS, events: 2, marks: 1, firstAt: T0 + 5 },
      ...{ occurredSum: 2n * BigInt(T0) + 12n, receivedSum: 2n * BigInt(T0 + DAY_MS) },
    },
    {
      ...{ occurredOn: DAY, receivedOn: DAY + 2 * DAY_MS, events: 1, marks: 64, firstAt: T0 },
      ...{ occurredSum: BigInt(T0), receivedSum: BigInt(T0 + 2 * DAY_MS) },
    },
  ]);
  expect(byExperiment.get("other")).toMatchObject([{ occurredOn: DAY - DAY_MS, events: 1, marks: 0 }]);
});

test("read only the parts that are new", async () => {
  await store.append([call("a")]);
  expect(await counts()).toEqual({ exp: 1 });
  await store.append([call("b"), call("c", { experimentId: "other" })]);
  expect(await counts()).toEqual({ exp: 2, other: 1 });
  expect(await counts()).toEqual({ exp: 2, other: 1 });
  expect(read.map((parts) => parts.length)).toEqual([1, 1]);
  expect(read[0]).not.toEqual(read[1]);
});

test("of many parts are read in several queries", async () => {
  for (const ids of [["a", "b"], ["c"], ["d", "e", "f"], ["g"]])
    await store.append(ids.map((id) => call(id)));
  expect(await counts(ORG, { rowsAtOnce: 3 })).toEqual({ exp: 7 });
  // No more than 3 rows at once, or one part.
  expect(read.map((parts) => parts.length)).toEqual([2, 1, 1]);
});

test("of one experiment are read apart from those of the org", async () => {
  await store.append([call("a"), call("b", { experimentId: "other" })]);
  expect(await counts({ orgId: "org", experimentId: "other" })).toEqual({ other: 1 });
  expect(await counts()).toEqual({ exp: 1, other: 1 });
});

test.each<[string, Partial<StoredEvent>, number]>([
  ["a call that stands for ten", { samplingProbability: 0.1 }, LOG_MARK.sampled],
  ["a call that stands for itself", { samplingProbability: 1 }, 0],
  ["an exposure", { type: "exposure", variant: "a" }, LOG_MARK.exposure],
  ["an exposure to nothing", { type: "exposure", variant: null }, 0],
  [
    "a call whose cost is told by its tokens",
    { inputTokens: 1, outputTokens: 2 },
    tokenMark("input_tokens") | tokenMark("output_tokens") | LOG_MARK.byTokens,
  ],
  [
    "a call that reports its cost, too",
    { inputTokens: 1, outputTokens: 2, costUsd: 0 },
    tokenMark("input_tokens") | tokenMark("output_tokens"),
  ],
])("mark %s", async (_, fields, marks) => {
  await store.append([call("a", fields)]);
  const { byExperiment } = await loadLogContents(engine, ORG);
  expect(byExperiment.get("exp")).toMatchObject([{ marks }]);
});

test("of the raw log are those of the days on which events were received from an instant on", async () => {
  await store.append([call("a"), call("b", { receivedAt: T0 + 2 * DAY_MS, occurredAt: T0 - 9 * DAY_MS })]);
  const rawSince = DAY + 2 * DAY_MS;
  const { byExperiment } = await loadLogContents(engine, ORG, { log: { rawSince, of: NONE } });
  expect(byExperiment.get("exp")).toMatchObject([{ occurredOn: DAY - 9 * DAY_MS, events: 1 }]);
  expect(await counts(ORG, { log: { rawSince: rawSince - DAY_MS, of: NONE } })).toEqual({ exp: 2 });
});

describe("that are kept", () => {
  const KEPT = { eventsForKeeping: 2 };
  /** As another process sees the store. */
  const restart = () => {
    engine = { ...engine };
    read = [];
  };

  test("are not read again by another process, but what is new", async () => {
    const events = [
      call("a", { inputTokens: 3 }),
      call("b", { experimentId: "other", receivedAt: T0 - DAY_MS }),
    ];
    await store.append([...events, call("x", { orgId: "stranger" })]);
    await store.append([call("y", { orgId: "stranger" })]);
    const before = await loadLogContents(engine, ORG, KEPT);
    restart();
    expect(await loadLogContents(engine, ORG, KEPT)).toEqual(before);
    expect(read.filter(Boolean)).toEqual([]);
    await store.append([call("c")]);
    expect(await counts(ORG, KEPT)).toEqual({ exp: 2, other: 1 });
    expect(read.filter(Boolean)).toHaveLength(1);
    // One event is too little to keep.
    restart();
    expect(await counts(ORG, KEPT)).toEqual({ exp: 2, other: 1 });
    expect(read.filter(Boolean)).toHaveLength(1);
  });

  test("are those of no other org, nor of one experiment or of the raw log", async () => {
    await store.append([call("a"), call("b", { experimentId: "other" })]);
    await counts(ORG, KEPT);
    restart();
    expect(await counts({ ...ORG, orgId: "stranger" }, KEPT)).toEqual({});
    expect(await counts({ ...ORG, experimentId: "other" }, KEPT)).toEqual({ other: 1 });
    expect(await counts(ORG, { ...KEPT, log: { rawSince: DAY, of: NONE } })).toEqual({ exp: 1, other: 1 });
    expect(read.filter(Boolean)).toHaveLength(3);
  });

  test("are read again once parts with the same names have other rows", async () => {
    await store.append([call("a"), call("b")]);
    await counts(ORG, KEPT);
    const names = await engine.partsOf(["analysis"]);
    restart();
    const anew = names.map((part) => ({ ...part, hash: "of other rows" }));
    engine = { ...engine, partsOf: async () => anew };
    expect(await counts(ORG, KEPT)).toEqual({ exp: 2 });
    expect(read.filter(Boolean)).toHaveLength(1);
  });

  test("are read again once an id is overruled, and once a chunk is gone", async () => {
    await store.append([call("a", { source: "publishable" }), call("b", { source: "publishable" })]);
    await counts(ORG, KEPT);
    await store.append([call("a", { source: "secret", experimentId: "other" })]);
    restart();
    expect(await counts(ORG, KEPT)).toEqual({ exp: 1, other: 1 });
    await client.command(
      "ALTER TABLE unit_states DELETE WHERE chunk = 0 AND units != '' SETTINGS mutations_sync = 1",
    );
    restart();
    expect(await counts(ORG, KEPT)).toEqual({ exp: 1, other: 1 });
    expect(read.filter(Boolean)).toHaveLength(1);
  });
});

test("count a copy until the engine has merged it", async () => {
  await store.append([call("a")]);
  await client.command("INSERT INTO analysis SELECT * FROM analysis");
  expect(await counts()).toEqual({ exp: 2 });
  await merge();
  expect(await counts()).toEqual({ exp: 1 });
});

test("are right when parts are merged while they are read", async () => {
  await store.append([call("a")]);
  await store.append([call("b")]);
  beforeRead = async () => {
    beforeRead = async () => {};
    await merge();
  };
  expect(await counts()).toEqual({ exp: 2 });
  expect(read.map((parts) => parts.length)).toEqual([2, 1]);
});

test("have no event that a trusted sender overruled, from then on", async () => {
  await store.append([call("a", { source: "publishable" }), call("b", { source: "publishable" })]);
  expect(await counts()).toEqual({ exp: 2 });
  await store.append([call("a", { source: "secret", experimentId: "other" })]);
  expect(await counts()).toEqual({ exp: 1, other: 1 });
});
