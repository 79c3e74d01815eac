import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, monthOf, POOLED_CAP } from "@assay/domain";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CLUSTER,
  findClickHouse,
  type RunningClickHouseCluster,
  startClickHouseCluster,
} from "../../../../tests/servers/clickhouse.ts";
import { latency } from "../contract-tests/arm-metrics.ts";
import { onEachNode } from "../contract-tests/on-each-node.ts";
import { storedEvent, T0, wholeExperiment } from "../contract-tests/stored-event.ts";
import { expectSyncedTables } from "../contract-tests/synced-tables.ts";
import { createTestDatabase, type TestDatabase } from "../contract-tests/test-servers.ts";
import { loadAnalysis } from "./analysis/load-analysis.ts";
import { eventStoreOn } from "./clickhouse-event-store.ts";
import { type EngineClient, engineClient } from "./engine/engine-client.ts";
import { findPlacement, placedEngine } from "./engine/event-engine.ts";

/** Users on both shards, each with an exposure and a call. */
const eventsOf = (orgId: string, users: number) =>
  Array.from({ length: users }, (_, i) => [
    storedEvent({ orgId, userId: `u${i}`, variant: i % 2 === 0 ? "a" : "b" }),
    storedEvent({ orgId, userId: `u${i}`, type: "model_call", latencyMs: i / 7, occurredAt: T0 + i }),
  ]).flat();

/** Needs sums, samples, and a cap over the users of all shards. */
const SOME_METRICS = [latency, { ...latency, name: "total", kind: "mean", cap: POOLED_CAP }] as const;

const armsOf = (store: EventStore, orgId: string) =>
  store.loadArms({
    ...wholeExperiment(orgId),
    ...{ until: T0 + DAY_MS, periodStarts: [], metrics: SOME_METRICS, prices: [] },
    sample: { maxUsersPerArm: 50, preDays: 1 },
  });

describe.skipIf(findClickHouse() === null)("events on two shards", () => {
  let cluster: RunningClickHouseCluster;
  let database: TestDatabase;
  let nodes: readonly EngineClient[];
  let store: EventStore;
  beforeAll(async () => {
    cluster = await startClickHouseCluster({ shards: 2 });
    database = await createTestDatabase(cluster.urls);
    nodes = database.connect();
    store = eventStoreOn(onEachNode(nodes), CLUSTER, { eventsForCells: 0 });
    await store.migrate();
  });
  afterAll(async () => {
    await store.close();
    await cluster.stop();
  });

  test("are stored on their user's shard, raw and for analysis, about half on each", async () => {
    const orgId = randomUUID();
    await store.append(eventsOf(orgId, 400));
    for (const table of ["raw_events_local", "analysis_local", "stored_ids_local"]) {
      const counts = await Promise.all(
        nodes.map((node) =>
          node.rows<[number]>(`SELECT count() FROM ${table} WHERE org_id = {orgId: String}`, { orgId }),
        ),
      );
      const [one = 0, other = 0] = counts.map((rows) => rows[0]?.[0] ?? 0);
      expect(one + other).toBe(800);
      expect(Math.min(one, other)).toBeGreaterThan(250);
    }
    const usersOf = async (node: EngineClient, table: string) => {
      const sql = `SELECT DISTINCT user_id FROM ${table} WHERE org_id = {orgId: String}`;
      return (await node.rows<[string]>(sql, { orgId })).flat();
    };
    const [first = [], second = []] = await Promise.all(
      nodes.map((node) => usersOf(node, "raw_events_local")),
    );
    expect(first.filter((user) => second.includes(user))).toEqual([]);
    expect((await usersOf(nodes[0]!, "analysis_local")).sort()).toEqual(first.sort());
  });

  test("come to states from which a night begins with the same bits", async () => {
    const orgId = randomUUID();
    const placed = placedEngine(onEachNode(nodes), await findPlacement(nodes[0]!));
    const midnight = T0 - (T0 % DAY_MS);
    const received = (days: number) =>
      eventsOf(orgId, 300).map((event) => ({
        ...event,
        eventId: `${days} ${event.eventId}`,
        ...{ occurredAt: event.occurredAt + days * DAY_MS, receivedAt: event.occurredAt + days * DAY_MS },
      }));
    for (const days of [0, 1]) {
      await store.append(received(days));
      const query = {
        ...wholeExperiment(orgId),
        ...{ until: midnight + (days + 1) * DAY_MS, periodStarts: [], metrics: SOME_METRICS, prices: [] },
        ...{ sample: { maxUsersPerArm: 50, preDays: 1 }, configuredModels: {} },
      };
      const load = (eventsForState: number) =>
        loadAnalysis(placed, { ...query, factsUntil: query.until }, { eventsForState, eventsForCells: 0 });
      expect(await load(0)).toEqual(await load(Number.POSITIVE_INFINITY));
    }
    const states = await placed.rows(
      "SELECT closed_before FROM unit_states WHERE org_id = {orgId: String} AND closed_before > 0 ORDER BY closed_before",
      { orgId },
    );
    expect(states.flat()).toEqual([1, 2].map((days) => midnight + days * DAY_MS));
    while ((await store.eraseUsers([{ orgId, userId: "u1", requestedAt: T0 + 9 * DAY_MS }])) > 0);
    expect(
      await placed.rows("SELECT fold FROM unit_states WHERE org_id = {orgId: String}", { orgId }),
    ).toEqual([]);
  });

  test("are synced to the disk of each node, after merges too", async () => {
    for (const node of nodes) await expectSyncedTables(node, "_local");
  });

  test("give the same bits from any node, even to a client that only finds the tables there", async () => {
    const orgId = randomUUID();
    await store.append(eventsOf(orgId, 300));
    const first = await armsOf(store, orgId);
    expect(first.exposures).toMatchObject([{ users: 150 }, { users: 150 }]);
    for (const node of database.connect()) {
      // It gets no information about the cluster.
      const other = eventStoreOn(node, null);
      await other.migrate();
      expect(await armsOf(other, orgId)).toEqual(first);
      await other.close();
    }
  });

  test("fail to be stored or read while a shard is down, and are complete after a redelivery", async () => {
    const orgId = randomUUID();
    const events = eventsOf(orgId, 300);
    const down = cluster.nodes[1]!;
    const toFirst = eventStoreOn(database.connect()[0]!, null);
    await toFirst.append(eventsOf(orgId, 10).map((event) => ({ ...event, experimentId: "before" })));
    down.kill("SIGKILL");
    const unavailable = { kind: "storage-unavailable" };
    await expect(toFirst.append(events)).rejects.toMatchObject(unavailable);
    await expect(toFirst.traffic(wholeExperiment(orgId))).rejects.toMatchObject(unavailable);
    await expect(toFirst.countReceived([orgId], monthOf(T0))).rejects.toMatchObject(unavailable);
    await expect(armsOf(toFirst, orgId)).rejects.toMatchObject(unavailable);
    await down.restart();
    await toFirst.append(events);
    await toFirst.append(events);
    expect(await store.countReceived([orgId], monthOf(T0))).toEqual([620]);
    const points = await store.traffic(wholeExperiment(orgId));
    expect(points).toMatchObject([
      { exposures: 150, users: 150 },
      { exposures: 150, users: 150 },
    ]);
    expect((await armsOf(store, orgId)).outcomes).toBe(300);
    await toFirst.close();
  });

  test("a redelivery completes an insert that reached only one of two shards", async () => {
    const orgId = randomUUID();
    const events = eventsOf(orgId, 200);
    // One shard accepts its part and the other does not, in whatever order the node sends them.
    const alone: EngineClient = {
      ...nodes[0]!,
      insert: async (table, columns, lines) => {
        await nodes[0]!.insert(`${table}_local`, columns, lines);
        throw new Error("cut off");
      },
      close: async () => {},
    };
    const first = await usersOnFirstShard(
      nodes[0]!,
      orgId,
      events.map(({ userId }) => userId),
    );
    const cut = eventStoreOn(alone, null);
    await expect(cut.append(events.filter(({ userId }) => first.has(userId)))).rejects.toThrow("cut off");
    expect(await store.countReceived([orgId], monthOf(T0))).toEqual([0]);
    await store.append(events);
    expect(await store.countReceived([orgId], monthOf(T0))).toEqual([400]);
    expect((await armsOf(store, orgId)).outcomes).toBe(200);
    expect(
      (await store.traffic(wholeExperiment(orgId))).reduce((sum, { exposures }) => sum + exposures, 0),
    ).toBe(200);
  });
});

/** Lists the users with rows on the first shard. */
async function usersOnFirstShard(
  node: EngineClient,
  orgId: string,
  users: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await node.rows<[string]>(
    "SELECT arrayJoin({users: Array(String)}) AS user WHERE cityHash64({orgId: String}, user) % 2 = 0",
    { orgId, users },
  );
  return new Set(rows.flat());
}

describe.skipIf(findClickHouse() === null)("assay migrate --cluster", () => {
  let cluster: RunningClickHouseCluster;
  beforeAll(async () => {
    cluster = await startClickHouseCluster({ shards: 1 });
  });
  afterAll(() => cluster.stop());

  const openNew = async (name: string | null) => {
    const database = await createTestDatabase(cluster.urls);
    return { open: (other = name) => eventStoreOn(onEachNode(database.connect()), other) };
  };

  test("refuses a cluster that the server does not know", async () => {
    const { open } = await openNew("nowhere");
    const store = open();
    await expect(store.migrate()).rejects.toMatchObject({
      name: "StartupError",
      message: expect.stringContaining('has no cluster "nowhere"'),
    });
    await store.close();
  });

  test.each([
    { there: null, words: "tables of a single node" },
    { there: CLUSTER, words: `tables of the cluster "${CLUSTER}"` },
  ])("refuses a database with $words", async ({ there, words }) => {
    const { open } = await openNew(there);
    const [store, other] = [open(), open("another")];
    await store.migrate();
    await expect(other.migrate()).rejects.toMatchObject({
      name: "StartupError",
      message: expect.stringContaining(words),
    });
    await store.close();
    await other.close();
  });

  test("says what is missing when no statement can run on the cluster, as on these nodes without Keeper", async () => {
    const database = await createTestDatabase(cluster.urls);
    const store = eventStoreOn(database.connect()[0]!, CLUSTER);
    await expect(store.migrate()).rejects.toMatchObject({
      name: "StartupError",
      message: expect.stringMatching(/cannot create tables on the cluster "assay": .*Keeper/),
    });
    await store.close();
  });

  test("reports a missing database in one line", async () => {
    const url = new URL(cluster.urls[0]!);
    url.pathname = "/not_there";
    const store = eventStoreOn(
      engineClient(createClient({ url, log: { level: ClickHouseLogLevel.OFF } })),
      null,
    );
    await expect(store.migrate()).rejects.toMatchObject({
      name: "StartupError",
      message: expect.stringContaining("does not exist"),
    });
    await store.close();
  });
});
