import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EventStore,
  GUARD_COLUMNS,
  type GuardQuery,
  type GuardSelection,
  type GuardSums,
  NO_VALUES,
  type StoredEvent,
} from "@assay/domain";
import { clickhouseEventStore, type EmbeddedClickHouse, startEmbeddedClickHouse } from "@assay/storage";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inNight } from "../../../../tests/in-night.ts";
import { createGuardSums } from "./guard-sums.ts";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 5, 10, 9);
const silent = { info() {}, warn() {}, error() {} };
const dataDir = mkdtempSync(join(tmpdir(), "assay-guard-"));
let engine: EmbeddedClickHouse;
let store: EventStore;
beforeAll(async () => {
  engine = await startEmbeddedClickHouse({ dataDir, log: silent });
  store = clickhouseEventStore(engine);
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  await engine.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The store, with a note of each range of the log that is read, and an append that may fail. */
let reads: Pick<GuardQuery, "receivedFrom" | "receivedUntil">[];
let failure: "before" | "after" | null;
const failing = {
  loadGuardSums(query: GuardQuery) {
    reads.push({ receivedFrom: query.receivedFrom, receivedUntil: query.receivedUntil });
    return store.loadGuardSums(query);
  },
  async append(events: readonly StoredEvent[]) {
    if (failure === "before") throw new Error("refused");
    const stored = await store.append(events);
    if (failure === "after") throw new Error("the answer was lost");
    return stored;
  },
};
beforeEach(() => {
  reads = [];
  failure = null;
});

const selectionOf = (orgId: string, occurredFrom = 0): GuardSelection => ({
  ...{ orgId, experimentId: orgId, unit: "user", exclusions: [], arms: ["a", "b"], owners: null },
  ...{ occurredFrom, prices: [], metrics: [] },
});
const callOf = (orgId: string, fields: Partial<StoredEvent> = {}): StoredEvent => ({
  ...{ orgId, experimentId: orgId, eventId: randomUUID(), type: "model_call", userId: "ann" },
  ...{ occurredAt: START, receivedAt: START, ...NO_VALUES, variant: "a", ...fields },
});
const callsOf = (sums: GuardSums, arm = "a") =>
  (sums.get(arm)?.[GUARD_COLUMNS.indexOf("calls")] ?? new Float64Array()).reduce((all, one) => all + one, 0);
const plain = (sums: GuardSums) =>
  Object.fromEntries([...sums].sort().map(([arm, columns]) => [arm, columns.map((column) => [...column])]));

describe("the only process that stores events", () => {
  test("reads the log until five minutes after its first look, and then nothing", async () => {
    const orgId = randomUUID();
    const sums = createGuardSums(failing, { isAlone: true });
    await sums.append([callOf(orgId)]);
    const look = async (minutes: number) =>
      callsOf(await sums.load(selectionOf(orgId), START + minutes * MINUTE_MS));
    expect(await look(1)).toBe(1);
    // Received before the first look, and stored after it.
    await sums.append([callOf(orgId)]);
    await sums.append([callOf(orgId, { receivedAt: START + 2 * MINUTE_MS })]);
    expect(await look(2)).toBe(3);
    expect(await look(7)).toBe(3);
    const count = reads.length;
    await sums.append([callOf(orgId, { receivedAt: START + 8 * MINUTE_MS })]);
    expect([await look(8), await look(60), await look(24 * 60)]).toEqual([4, 4, 4]);
    expect(reads).toHaveLength(count);
    const from = START + MINUTE_MS + 1;
    expect(reads.every(({ receivedUntil }) => receivedUntil <= from)).toBe(true);
    expect(reads.at(-1)).toEqual({ receivedFrom: START - 4 * MINUTE_MS, receivedUntil: from });

    await sums.load(selectionOf(orgId, 1), START + 25 * 60 * MINUTE_MS);
    expect(reads.slice(count).map(({ receivedFrom }) => receivedFrom)).toContain(null);
  });

  test("reads the log again after an append that failed, stored or not", async () => {
    const orgId = randomUUID();
    const sums = createGuardSums(failing, { isAlone: true });
    const look = (minutes: number) => sums.load(selectionOf(orgId), START + minutes * MINUTE_MS);
    for (const minutes of [0, 6]) await look(minutes);
    for (const [i, fault] of (["before", "after"] as const).entries()) {
      const batch = [callOf(orgId, { receivedAt: START + (10 + i) * MINUTE_MS })];
      failure = fault;
      await expect(sums.append(batch)).rejects.toThrow();
      failure = null;
      await sums.append(batch);
      expect(callsOf(await look(11 + i))).toBe(i + 1);
    }
  });

  test("has the sums of the log at every look, whatever fails and comes twice", async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant("receive" as const), count: fc.integer({ min: 1, max: 9 }) }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant("store" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("again" as const, "begin" as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant("fail" as const),
          when: fc.constantFrom("before" as const, "after" as const),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(1, 4, 6, 11) }),
      },
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const orgId = randomUUID();
      const sums = createGuardSums(failing, { isAlone: true });
      let [now, occurredFrom] = [START, 0];
      const sent: StoredEvent[] = [];
      let queued: StoredEvent[] = [];
      const drain = async () => {
        await sums.append(queued);
        queued = [];
      };
      const receive = (events: readonly StoredEvent[]) => {
        now += 1_000;
        queued.push(...events.map((event) => ({ ...event, receivedAt: now })));
      };
      const look = async () => {
        const selection = selectionOf(orgId, occurredFrom);
        const found = plain(await sums.load(selection, now));
        const query = { ...selection, receivedFrom: null, receivedUntil: now + 1 };
        expect(found).toEqual(plain(await store.loadGuardSums(query)));
      };
      for (const one of steps) {
        if (one.do === "look") await look();
        if (one.do === "store") await drain();
        if (one.do === "begin") occurredFrom += 1;
        if (one.do === "again") receive(sent.slice(0, 5));
        if (one.do === "fail") {
          failure = one.when;
          await sums.append(queued).catch(() => undefined);
          failure = null;
        }
        if (one.do === "wait") {
          // What is in the queue is stored within five minutes.
          await drain();
          now += one.minutes * MINUTE_MS;
        }
        if (one.do === "receive") {
          const events = Array.from({ length: one.count }, (_, i) =>
            callOf(orgId, { userId: `u${sent.length + i}`, variant: i % 3 === 0 ? "a" : "b", latencyMs: i }),
          );
          sent.push(...events);
          receive(events);
        }
      }
      await drain();
      await look();
    });
    await fc.assert(property, { numRuns: inNight(3, 40) });
  });
});

test("where other processes store events, too, a look reads what was received in the last minutes", async () => {
  const orgId = randomUUID();
  const sums = createGuardSums(failing, { isAlone: false });
  const other = (minutes: number) =>
    store.append([callOf(orgId, { receivedAt: START + minutes * MINUTE_MS })]);
  const look = async (minutes: number) =>
    callsOf(await sums.load(selectionOf(orgId), START + minutes * MINUTE_MS));
  await other(0);
  expect(await look(1)).toBe(1);
  await other(5);
  expect(await look(5)).toBe(2);
  for (const minutes of [20, 40, 60]) {
    await other(minutes);
    expect(await look(minutes)).toBe(minutes / 20 + 2);
  }
  expect(reads.slice(2).every(({ receivedFrom }) => receivedFrom !== null)).toBe(true);
  expect(reads.at(-1)).toEqual({
    ...{ receivedFrom: START + 55 * MINUTE_MS, receivedUntil: START + 60 * MINUTE_MS + 1 },
  });
});

test("experiments that are no longer guarded are forgotten", async () => {
  const [orgId, left] = [randomUUID(), randomUUID()];
  const sums = createGuardSums(failing, { isAlone: true });
  for (const id of [orgId, left]) await sums.load(selectionOf(id), START);
  sums.keepOnly(new Set([orgId]));
  reads = [];
  await sums.load(selectionOf(orgId), START + 1);
  expect(reads).toHaveLength(1);
  await sums.load(selectionOf(left), START + 1);
  expect(reads).toHaveLength(3);
});
