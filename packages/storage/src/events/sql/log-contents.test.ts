import { DAY_MS, type EventStore, type StoredEvent, startOfDay } from "@assay/domain";
import { afterAll, beforeEach, expect, test } from "vitest";
import { storedEvent, T0 } from "../../contract-tests/stored-event.ts";
import { eventStoreOn } from "../clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../engine/engine-client.ts";
import { type EventEngine, placedEngine } from "../engine/event-engine.ts";
import { loadLogContents } from "./log-contents.ts";

const server = await temporaryClickHouse();
afterAll(() => server.dispose());

const DAY = startOfDay(new Date(T0).toISOString().slice(0, 10) as never);
const ORG = { orgId: "org", experimentId: null };

let client: EngineClient;
let store: EventStore;
let engine: EventEngine;
/** The parts that were read, by question. */
let read: (readonly string[])[];
let beforeRead: () => Promise<void>;
beforeEach(async () => {
  const database = `contents_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.client.command({ query: `CREATE DATABASE ${database}` });
  client = engineClient(clientOf(server.clickhouse, { database }));
  store = eventStoreOn(client, null);
  await store.migrate();
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
const counts = async (scope: Parameters<typeof loadLogContents>[1] = ORG) => {
  const { byExperiment } = await loadLogContents(engine, scope);
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
      ...{ occurredOn: DAY, receivedOn: DAY + DAY_MS, events: 2, tokens: 1, firstAt: T0 + 5 },
      ...{ occurredSum: 2n * BigInt(T0) + 12n, receivedSum: 2n * BigInt(T0 + DAY_MS) },
    },
    {
      ...{ occurredOn: DAY, receivedOn: DAY + 2 * DAY_MS, events: 1, tokens: 64, firstAt: T0 },
      ...{ occurredSum: BigInt(T0), receivedSum: BigInt(T0 + 2 * DAY_MS) },
    },
  ]);
  expect(byExperiment.get("other")).toMatchObject([{ occurredOn: DAY - DAY_MS, events: 1, tokens: 0 }]);
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

test("of one experiment are read apart from those of the org", async () => {
  await store.append([call("a"), call("b", { experimentId: "other" })]);
  expect(await counts({ orgId: "org", experimentId: "other" })).toEqual({ other: 1 });
  expect(await counts()).toEqual({ exp: 1, other: 1 });
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
