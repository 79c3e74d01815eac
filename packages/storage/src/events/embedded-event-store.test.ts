import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DAY_MS, monthOf } from "@assay/domain";
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import { eventStoreContract } from "../contract-tests/event-store.ts";
import { fineBin } from "../contract-tests/reference-fine-bin.ts";
import { shareOf } from "../contract-tests/share.ts";
import { storedEvent, T0, wholeExperiment } from "../contract-tests/stored-event.ts";
import { twoWritersContract } from "../contract-tests/two-writers.ts";
import type { AnalysisLimits } from "./analysis/plans.ts";
import { clickhouseEventStore } from "./clickhouse-event-store.ts";
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "./embedded/embedded-clickhouse.ts";
import { type EngineClient, engineClient } from "./engine/engine-client.ts";
import { appender } from "./write/append.ts";
import type { RecentIdsOptions } from "./write/recent-ids.ts";

const dataDir = mkdtempSync(join(tmpdir(), "assay-events-"));
const log = { info() {}, warn() {}, error() {} };
let embedded: EmbeddedClickHouse;
let engine: EngineClient;

beforeAll(async () => {
  embedded = await startEmbeddedClickHouse({ dataDir, log });
  const { url, username, password } = embedded;
  engine = engineClient(createClient({ url, username, password, log: { level: ClickHouseLogLevel.OFF } }));
});

afterAll(async () => {
  await engine.close();
  await embedded.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const appendTo = (engine: EngineClient) => appender(async () => ({ engine, place: "stored_ids" }));

/** Of random cases, and of tables whose rows differ in their values only. */
const SHARE = isNight() ? 1 : 1 / 6;

const openStore = async (limits: AnalysisLimits = {}, onlyWriter?: RecentIdsOptions) => {
  const store = clickhouseEventStore({ ...embedded, limits, onlyWriter });
  await store.migrate();
  return store;
};

// Its two stores write events of different orgs, and no event twice.
eventStoreContract("embedded ClickHouse", (limits) => openStore(limits, { log }), { share: SHARE });
twoWritersContract("embedded ClickHouse", openStore);

describe("an append that failed halfway", () => {
  const failingOn = (table: string): EngineClient => ({
    ...engine,
    insert: (into, columns, lines) =>
      into === table ? Promise.reject(new Error("cut off")) : engine.insert(into, columns, lines),
  });
  const latency = {
    name: "latency",
    kind: "ratio",
    source: { event: "model_call", field: "latency_ms" },
    windowDays: null,
    cap: null,
    acceptFrom: null,
  } as const;

  test.each(["raw_events", "stored_ids"])("before writing %s is completed by redelivery", async (table) => {
    const store = await openStore();
    const orgId = randomUUID();
    const events = [
      storedEvent({ orgId, variant: "a" }),
      storedEvent({ orgId, type: "model_call", latencyMs: 40, occurredAt: T0 + DAY_MS }),
    ];
    await expect(appendTo(failingOn(table))(events)).rejects.toThrow("cut off");
    expect(await store.countReceived([orgId], monthOf(T0))).toEqual([0]);
    await store.append(events);
    await store.append(events);
    expect(await store.countReceived([orgId], monthOf(T0))).toEqual([2]);
    expect(await store.traffic(wholeExperiment(orgId))).toMatchObject([{ exposures: 1 }]);
    const query = {
      ...wholeExperiment(orgId),
      until: T0 + 9 * DAY_MS,
      periodStarts: [],
      metrics: [latency],
      prices: [],
      sample: null,
    };
    expect((await store.loadArms(query)).metrics).toMatchObject([{ users: 1, events: 1, meanY: 40 }]);
    const raw = "SELECT event_id FROM raw_events FINAL WHERE org_id = {orgId: String}";
    expect((await engine.rows<[string]>(raw, { orgId })).length).toBe(2);
    await store.close();
  });
});

test.each([
  { what: "5,000 events without texts are a single one", count: 5_000, response: null, inserts: 1 },
  {
    what: "20 million characters of texts are three",
    count: 1_000,
    response: "x".repeat(20_000),
    inserts: 3,
  },
])("of the inserts of an append, $what", async ({ count, response, inserts }) => {
  const store = await openStore();
  const tables: string[] = [];
  const counting: EngineClient = { ...engine, insert: async (table) => void tables.push(table) };
  const orgId = randomUUID();
  const events = Array.from({ length: count }, (_, i) =>
    storedEvent({ orgId, eventId: `e${i}`, type: "model_call", response }),
  );
  await appendTo(counting)(events);
  expect(tables.filter((table) => table === "raw_events")).toHaveLength(inserts);
  expect(tables.filter((table) => table === "stored_ids")).toHaveLength(1);
  await store.close();
});

test("raw events with duplicates that are not merged yet are listed once, also page by page", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const events = Array.from({ length: 6 }, (_, i) =>
    storedEvent({ orgId, eventId: `e${i}`, userId: `u${i % 2}`, occurredAt: T0 + i, variant: "a" }),
  );
  const rowsStored = async () => {
    const [row] = await engine.rows<[number]>(
      "SELECT count() FROM raw_events WHERE org_id = {orgId: String}",
      { orgId },
    );
    return row?.[0];
  };
  await engine.command("SYSTEM STOP MERGES raw_events");
  const withoutIds: EngineClient = {
    ...engine,
    insert: async (into, columns, lines) =>
      into === "stored_ids" ? undefined : engine.insert(into, columns, lines),
  };
  for (let delivery = 0; delivery < 3; delivery++) await appendTo(withoutIds)(events);
  expect(await rowsStored()).toBe(18);
  const exposed = { ...wholeExperiment(orgId), from: T0, until: T0 + 60_000 };
  expect(await store.exposuresByMinute(exposed)).toMatchObject([{ exposures: 6 }]);
  const query = { ...wholeExperiment(orgId), filter: {}, prices: [], previewLength: 9 } as const;
  const pages: string[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const after = cursor === "" ? {} : { cursor };
    const page = await store.listRaw({ ...query, sort: "occurred_at", direction: "asc", limit: 2, ...after });
    pages.push(page.items.map(({ eventId }) => eventId));
    cursor = page.nextCursor;
  }
  expect(pages).toEqual([
    ["e0", "e1"],
    ["e2", "e3"],
    ["e4", "e5"],
  ]);
  expect(await store.findRaw({ orgId, experimentId: "exp", eventId: "e3", prices: [] })).toEqual(events[3]);
  await engine.command("SYSTEM START MERGES raw_events");
  await store.close();
});

test("an append fails as unavailable when the engine dies, and its retry stores every event once", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const events = Array.from({ length: 5_000 }, (_, i) =>
    storedEvent({ orgId, userId: `u${i}`, variant: "a" }),
  );
  const unavailable = { kind: "storage-unavailable" };
  for (const delayMs of isNight() ? [0, 60, 120] : [60]) {
    const appended = store.append(events).then(
      () => "stored",
      (error: unknown) => error,
    );
    await delay(delayMs);
    process.kill(embedded.pid!, "SIGKILL");
    const outcome = await appended;
    if (outcome !== "stored") expect(outcome).toMatchObject(unavailable);
    await vi.waitFor(() => store.ping(), { timeout: 80_000, interval: 100 });
  }
  await store.append(events);
  expect(await store.countReceived([orgId], monthOf(T0))).toEqual([5_000]);
  expect(await store.traffic(wholeExperiment(orgId))).toMatchObject([{ exposures: 5_000, users: 5_000 }]);
  await store.close();
});

test("keeps every field of an event in the raw log, with times to the millisecond", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const full = storedEvent({
    orgId,
    type: "model_call",
    occurredAt: T0 + 123,
    receivedAt: T0 + 456,
    variant: "a",
    metadata: '{"k":[1,2]}',
    latencyMs: 12.5,
    timeToFirstTokenMs: 3,
    model: "m",
    requestedModel: "asked",
    provider: "p",
    inputTokens: 9_007_199_254_740_991,
    cachedInputTokens: 8,
    outputTokens: 0,
    reasoningTokens: 2,
    costUsd: 1e-9,
    error: true,
    errorType: "timeout",
    finishReason: "length",
    prompt: "hello\nworld",
    response: "yes",
  });
  await store.append([full]);
  const columns =
    "toUnixTimestamp64Milli(occurred_at), toUnixTimestamp64Milli(received_at), type, variant, metadata, latency_ms," +
    "time_to_first_token_ms, model, provider, input_tokens, output_tokens, cost_usd, error, error_type, prompt," +
    "response, business_metric, value, requested_model, cached_input_tokens, reasoning_tokens, finish_reason";
  const sql = `SELECT ${columns} FROM raw_events WHERE org_id = {orgId: String}`;
  const numbers = [12.5, 3, "m", "p", 9_007_199_254_740_991, 0, 1e-9, 1];
  expect(await engine.rows(sql, { orgId })).toEqual([
    [
      T0 + 123,
      T0 + 456,
      "model_call",
      "a",
      '{"k":[1,2]}',
      ...numbers,
      "timeout",
      "hello\nworld",
      "yes",
      "",
      null,
      "asked",
      8,
      2,
      "length",
    ],
  ]);
  await store.close();
});

test("removes the raw log of a removed experiment soon after", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const days = Array.from({ length: 5 }, (_, day) => T0 + day * DAY_MS);
  await store.append(days.map((receivedAt) => storedEvent({ orgId, receivedAt })));
  await store.append([storedEvent({ orgId, experimentId: "another" })]);
  await store.removeExperiment(orgId, "exp");
  const raw = () =>
    engine.rows("SELECT experiment_id FROM raw_events WHERE org_id = {orgId: String}", { orgId });
  await vi.waitFor(async () => expect(await raw()).toEqual([["another"]]), {
    timeout: 80_000,
    interval: 100,
  });
  await store.close();
});

test("stores texts that together exceed the size of one request", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const text = "ж".repeat(128 * 1024);
  const events = Array.from({ length: 180 }, () =>
    storedEvent({ orgId, type: "model_call", prompt: text, response: text }),
  );
  await store.append(events);
  expect(await store.countReceived([orgId], monthOf(T0))).toEqual([180]);
  const sql =
    "SELECT sum(lengthUTF8(prompt) + lengthUTF8(response)) FROM raw_events WHERE org_id = {orgId: String}";
  expect(await engine.rows(sql, { orgId })).toEqual([[180 * 2 * 128 * 1024]]);
  await store.close();
});

/** The bin numbers of `stats/src/histogram.ts` for these values. */
const BINS = [
  { value: 0, bin: -40_000 },
  { value: 1, bin: 0 },
  { value: 1.5, bin: 21 },
  { value: 0.5, bin: -35 },
  { value: 100, bin: 233 },
  { value: 120_000, bin: 591 },
  { value: 5e-324, bin: -37_592 },
  { value: 1.7e308, bin: 35_841 },
  { value: -1, bin: -80_000 },
  { value: -100, bin: -80_233 },
  { value: -1e300, bin: -114_884 },
];

test("puts values into the fine bins that the statistics expect, and binary ones into the bins of 0 and 1", async () => {
  const store = await openStore();
  const orgId = randomUUID();
  const source = { event: "business_event", businessMetric: "m" } as const;
  const metrics = (["mean", "ratio", "binary"] as const).map((kind) => ({
    name: kind,
    kind,
    source,
    windowDays: null,
    cap: null,
    acceptFrom: null,
  }));
  for (const { value, bin } of shareOf(BINS, Math.min(1, 2 * SHARE))) {
    const experimentId = randomUUID();
    await store.append([
      storedEvent({ orgId, experimentId, variant: "a" }),
      storedEvent({ orgId, experimentId, type: "business_event", businessMetric: "m", value }),
    ]);
    const arms = await store.loadArms({
      ...wholeExperiment(orgId, experimentId),
      until: T0 + DAY_MS,
      periodStarts: [],
      metrics,
      prices: [],
      sample: null,
    });
    const bins = arms.metrics.map(({ fineCounts }) => [...fineCounts]);
    const binaryBin = value === 0 ? -40_000 : 0;
    expect({ value, bins }).toEqual({ value, bins: [[[bin, 1]], [[bin, 1]], [[binaryBin, 1]]] });
    expect(fineBin(value)).toBe(bin);
  }
  await store.close();
});

test.each(["http://127.0.0.1:1", "http://localhost:1"])(
  "throws storage-unavailable with a retry time when nothing listens on %s",
  async (url) => {
    const store = clickhouseEventStore({ url, username: "u", password: "p" });
    const unavailable = { kind: "storage-unavailable", retryAfterSeconds: expect.any(Number) };
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await expect(store.append([storedEvent({})])).rejects.toMatchObject(unavailable);
    await expect(store.countReceived(["org"], monthOf(T0))).rejects.toMatchObject(unavailable);
    await store.close();
  },
);

test("keeps the engine's refusal of a query an ordinary error", async () => {
  const failure = await engine.rows("SELECT nonsense", {}).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ClickHouseError);
});
