import { DomainError } from "@assay/domain";
import { expect, test } from "vitest";
import type { KeyHolder } from "../../config/key-ring.ts";
import type { Deps } from "../../deps.ts";
import { createRateLimits } from "../../http/rate-limits.ts";
import { directEvents } from "./events.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const rates = {
  ...{ assignPerSecond: 1, configPerSecond: 1, businessEventsPerSecond: 1, importPerMinute: 1 },
  ...{ analysesPerMinute: 1, searchesPerMinute: 1, rowsPerSecond: 1, bytesPerSecond: 1 },
  ...{ eventsPerSecond: 2, publicRowsPerSecond: 1_000, publicBytesPerSecond: 1_000_000 },
};
const holder: KeyHolder = {
  ...{ orgId: "org", scope: "publishable", prefix: "svc_pk_12345", hash: "hash", allowedOrigins: null },
};
const headers = { "content-type": "application/json", "x-api-key": "svc_pk_12345678" };
const row = { event_id: "e", type: "exposure", experiment_id: "checkout", user_id: "u", timestamp: NOW };
const BODY = Buffer.from(JSON.stringify({ events: [row, row, row] }));

const full = new DomainError("queue-full", "The queue of received events is full.");
const exhausted = new DomainError("allowance-exhausted", "All events of the month are used up.");

/** The route over what stands in its way: the queue's error, or the end of the month's allowance. */
function makeRoute({
  fault = null,
  granted = 3,
}: {
  readonly fault?: Error | null;
  readonly granted?: number;
}) {
  const clock = { now: () => NOW };
  const rateLimits = createRateLimits(rates, clock);
  const entry = {
    experiment: { id: "id", createdAt: NOW, config: { flagKey: null } },
    timeline: { variants: new Set(), unit: "user" },
  };
  const counted: number[] = [];
  const deps = {
    ...{ clock, rateLimits, keyRing: { peek: () => holder }, keyUses: { note: () => {} } },
    snapshots: {
      peek: () => ({ orgId: "org", configVersion: 1, experiments: new Map([["checkout", entry]]) }),
    },
    claims: { isSettled: () => true },
    allowance: {
      spend: (_: unknown, events: number, accept: (rows: number, why: Error | null) => unknown) =>
        accept(Math.min(events, granted), granted < events ? exhausted : null),
    },
    queue: { append: async () => (fault === null ? undefined : Promise.reject(fault)) },
    metrics: {
      eventsAccepted: { inc: (rows: number) => counted.push(rows) },
      eventsRejected: { inc: (_: unknown, rows: number) => counted.push(-rows) },
    },
    tracing: { traceparent: () => undefined },
  } as unknown as Deps;
  return { answer: () => directEvents(deps).answer(headers, BODY), rateLimits, counted };
}

test.each([
  { name: "a full queue", fault: full },
  { name: "an allowance that is used up", granted: 0 },
])("$name is left to the framework, which counts the request itself", async (world) => {
  const { answer, rateLimits, counted } = makeRoute(world);
  for (let sent = 0; sent < 6; sent++) expect(await answer()).toBeNull();
  expect(counted).toEqual([]);
  expect([1, 1, 1, 1, 1].map(() => rateLimits.events.tryTake(holder))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([1_999, 1, 1].map((rows) => rateLimits.publicRows.tryTake(holder, rows))).toEqual([
    true,
    true,
    false,
  ]);
});

test("what the allowance takes in part is answered, and counted once", async () => {
  const { answer, counted } = makeRoute({ granted: 2 });
  expect(await answer()).toMatchObject({ status: 202, body: expect.stringContaining('"accepted":2') });
  expect(counted.filter((rows) => rows !== 0 && !Object.is(rows, -0))).toEqual([2, -1]);
});

test("a request beyond the rates of requests, bytes or rows takes from none of them", () => {
  for (const [policy, count] of [
    ["events", 4],
    ["publicBytes", 2_000_000],
    ["publicRows", 2_000],
  ] as const) {
    const { answer, rateLimits } = makeRoute({});
    rateLimits[policy].take(holder, count);
    expect(answer()).toBeNull();
    const others = (["events", "publicBytes", "publicRows"] as const).filter((other) => other !== policy);
    for (const other of others) {
      const burst = { events: 4, publicBytes: 2_000_000, publicRows: 2_000 }[other];
      expect([burst - 1, 1, 1].map((taken) => rateLimits[other].tryTake(holder, taken))).toEqual([
        true,
        true,
        false,
      ]);
    }
  }
});
