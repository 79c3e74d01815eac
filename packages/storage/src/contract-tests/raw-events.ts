import { randomUUID } from "node:crypto";
import {
  costOf,
  DAY_MS,
  EVENT_FIELDS,
  EVENT_TYPES,
  type EventPreview,
  type EventStore,
  priceFor,
  type RawEventQuery,
  type RawEventSort,
  type StoredEvent,
} from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE } from "./hostile.ts";
import { describeRawEventFilters } from "./raw-event-filters.ts";
import { shareOf } from "./share.ts";
import { MODELS, PRICES } from "./some-prices.ts";
import { LONG_AGO, storedEvent, T0, wholeEvent } from "./stored-event.ts";

const DEFAULTS = {
  experimentId: "exp",
  unit: "user",
  exclusions: [],
  filter: {},
  sort: "occurred_at",
  direction: "desc",
  prices: PRICES,
  previewLength: 5,
  limit: 50,
} as const;

type Ask = Partial<RawEventQuery> & { readonly orgId: string };

/** Tests reading raw events: lists, single events, and a user's outcomes. */
export function describeRawEvents(storeOf: () => EventStore, share = 1): void {
  const listed = async (ask: Ask) => storeOf().listRaw({ ...DEFAULTS, ...ask });
  const idsOf = async (ask: Ask) => (await listed(ask)).items.map(({ eventId }) => eventId);

  /** Reads all pages. */
  async function readAll(ask: Ask): Promise<readonly EventPreview[]> {
    const items: EventPreview[] = [];
    let cursor: string | undefined;
    do {
      const page = await listed({ ...ask, ...(cursor !== undefined && { cursor }) });
      expect(page.items.length).toBeGreaterThan(0);
      items.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return items;
  }

  describe("raw events", () => {
    describeContent(storeOf, { listed, share });
    describeOrder(storeOf, readAll, share);
    describeRawEventFilters(storeOf, { idsOf, share });
    describeCursors(storeOf, listed);
    describeOutcomes(storeOf);

    test("belong to the org's experiment only, and are gone after a sweep", async () => {
      const [orgId, other] = [randomUUID(), randomUUID()];
      const event = storedEvent({
        orgId,
        eventId: "e",
        receivedAt: LONG_AGO,
        type: "business_event",
        businessMetric: "m",
        value: 1,
      });
      await storeOf().append([event, { ...event, orgId: other, experimentId: "exp-2" }]);
      const ref = { experimentId: "exp", eventId: "e", prices: [] };
      expect(await idsOf({ orgId: other })).toEqual([]);
      expect(await idsOf({ orgId, experimentId: "exp-2" })).toEqual([]);
      expect(await storeOf().findRaw({ ...ref, orgId: other })).toBeNull();
      expect(await storeOf().findRaw({ ...ref, orgId, experimentId: "exp-2" })).toBeNull();
      expect(await storeOf().findRaw({ ...ref, orgId, eventId: "f" })).toBeNull();
      expect(await storeOf().findRaw({ ...ref, orgId })).toEqual(event);

      await storeOf().sweepRaw([{ orgIds: [orgId], receivedBefore: LONG_AGO + 1 }]);
      expect(await idsOf({ orgId })).toEqual([]);
      expect(await storeOf().findRaw({ ...ref, orgId })).toBeNull();
      const outcomes = await storeOf().listOutcomes({ orgId, experimentId: "exp", userId: "user", limit: 5 });
      expect(outcomes).toEqual([{ businessMetric: "m", value: 1, occurredAt: T0 }]);
    });
  });
}

type List = (ask: Ask) => ReturnType<EventStore["listRaw"]>;

const WHOLE: Partial<StoredEvent> = {
  type: "model_call",
  variant: "a",
  metadata: '{"a":[1,null,"é"]}',
  latencyMs: 812.25,
  timeToFirstTokenMs: 0,
  model: "gpt-4o-2024-11-20",
  requestedModel: "gpt-4o",
  provider: "openai",
  inputTokens: 9_007_199_254_740_991,
  cachedInputTokens: 1,
  outputTokens: 1e300,
  reasoningTokens: 3,
  costUsd: 0.1 + 0.2,
  error: true,
  errorType: "timeout",
  finishReason: "length",
  prompt: "語🙂éa\n and more",
  response: "short",
};

function describeContent(
  storeOf: () => EventStore,
  { listed, share }: { readonly listed: List; readonly share: number },
): void {
  const findOf = (orgId: string, eventId: string) =>
    storeOf().findRaw({ orgId, experimentId: "exp", eventId, prices: PRICES });

  test("are returned as sent, in lists with the beginnings of their texts", async () => {
    const orgId = randomUUID();
    const events = [
      storedEvent({ orgId, eventId: "4", ...WHOLE }),
      storedEvent({ orgId, eventId: "3", ...WHOLE, error: false, costUsd: 0, prompt: null }),
      storedEvent({ orgId, eventId: "2", type: "business_event", businessMetric: "m", value: -2.5 }),
      storedEvent({ orgId, eventId: "1" }),
      storedEvent({ orgId, eventId: "0", type: "tool_call", toolName: "t", toolArguments: '{"q":"x"}' }),
    ];
    await storeOf().append(events);
    for (const event of events) expect(await findOf(orgId, event.eventId)).toEqual(event);
    const previews = events.map(({ metadata: _, prompt, response, toolArguments, toolResult, ...event }) => ({
      ...{ ...event, promptPreview: prompt && "語🙂éa\n", responsePreview: response },
      ...{ toolArgumentsPreview: toolArguments && '{"q":', toolResultPreview: toolResult },
    }));
    expect(await listed({ orgId })).toEqual({ items: previews, nextCursor: null });
  });

  test.each(EVENT_TYPES)("have every field of a %s", async (type) => {
    const event = wholeEvent(type, { orgId: randomUUID() });
    expect(Object.keys(event).sort()).toEqual(Object.keys(EVENT_FIELDS).sort());
    await storeOf().append([event]);
    expect(await findOf(event.orgId, event.eventId)).toEqual(event);
  });

  test("have the reported cost, or else the cost by the prices", async () => {
    const orgId = randomUUID();
    const call = { orgId, type: "model_call", inputTokens: 1_000, outputTokens: 10 } as const;
    await storeOf().append([
      storedEvent({ ...call, eventId: "3", model: "full", costUsd: 9 }),
      storedEvent({ ...call, eventId: "2", model: "full@20250101" }),
      storedEvent({ ...call, eventId: "1", model: "unknown" }),
    ]);
    const costs = [9, 2.08, null];
    expect((await listed({ orgId })).items.map(({ costUsd }) => costUsd)).toEqual(costs);
    const found = await Promise.all(["3", "2", "1"].map((id) => findOf(orgId, id)));
    expect(found.map((event) => event?.costUsd)).toEqual(costs);
  });

  test("may contain any text", async () => {
    const orgId = randomUUID();
    const events = HOSTILE.map((text) =>
      storedEvent({
        ...{ orgId, type: "model_call", eventId: text, userId: text, variant: text, model: text },
        ...{ prompt: text, response: text, metadata: JSON.stringify({ text }) },
      }),
    );
    await storeOf().append(events);
    for (const event of shareOf(events, share)) {
      const { eventId: text } = event;
      expect(await findOf(orgId, text)).toEqual(event);
      const filter = { userId: text, variant: text, model: text, text };
      expect((await listed({ orgId, filter })).items.map(({ eventId }) => eventId)).toEqual([text]);
    }
  });
}

const someEvent = fc.record({
  eventId: fc.uuid(),
  userId: fc.constantFrom("u1", "u2", "語"),
  type: fc.constantFrom("model_call", "exposure"),
  hours: fc.integer({ min: -2, max: 2 }),
  number: fc.constantFrom(null, 0, 0.1, 0.1 + 0.2, 0.3, 5e-324, 1e308),
  inputTokens: fc.constantFrom(null, 1, 7, 1e308),
  outputTokens: fc.constantFrom(null, 0, 3),
  costUsd: fc.constantFrom(null, null, 0, 0.1),
  model: fc.constantFrom(...MODELS, null),
  serviceTier: fc.constantFrom("flex", "other", null),
});

/** Returns the sort value of an event; null: not in the list. */
const VALUE_OF: Readonly<Record<RawEventSort, (event: StoredEvent) => number | null>> = {
  occurred_at: ({ occurredAt }) => occurredAt,
  latency_ms: ({ latencyMs }) => latencyMs,
  time_to_first_token_ms: ({ timeToFirstTokenMs }) => timeToFirstTokenMs,
  input_tokens: ({ inputTokens }) => inputTokens,
  output_tokens: ({ outputTokens }) => outputTokens,
  cost_usd: (event) => {
    const price = priceFor(PRICES, event.model ?? "", event.serviceTier);
    const cost = event.costUsd ?? (price && costOf(event, price));
    return cost === null || !Number.isFinite(cost) ? null : cost;
  },
};

function referenceOrder(events: readonly StoredEvent[], sort: RawEventSort, direction: "asc" | "desc") {
  const keys = events.flatMap((event) => {
    const value = VALUE_OF[sort](event);
    return value === null ? [] : [{ value, id: event.eventId }];
  });
  keys.sort((a, b) => a.value - b.value || (a.id < b.id ? -1 : 1));
  return (direction === "asc" ? keys : keys.toReversed()).map(({ id }) => id);
}

function describeOrder(
  storeOf: () => EventStore,
  readAll: (ask: Ask) => Promise<readonly EventPreview[]>,
  share: number,
): void {
  test("are read page by page in any order, each exactly once", async () => {
    const order = fc.record({
      sort: fc.constantFrom(...(Object.keys(VALUE_OF) as RawEventSort[])),
      direction: fc.constantFrom("asc" as const, "desc" as const),
      limit: fc.integer({ min: 2, max: 12 }),
    });
    const property = fc.asyncProperty(
      fc.array(someEvent, { minLength: 5, maxLength: 25 }),
      fc.array(order, { minLength: 3, maxLength: 3 }),
      async (some, orders) => {
        const orgId = randomUUID();
        const first = storedEvent({ orgId, ...WHOLE });
        const events = some.map(({ hours, number, type, ...event }) =>
          storedEvent({
            ...{ orgId, ...event, type: type as StoredEvent["type"], occurredAt: T0 + hours * 3_600_000 },
            ...{ latencyMs: number, timeToFirstTokenMs: number },
          }),
        );
        await storeOf().append([first, ...events]);
        for (const { sort, direction, limit } of orders) {
          const read = await readAll({ orgId, sort, direction, limit });
          expect(read.map(({ eventId }) => eventId)).toEqual(
            referenceOrder([first, ...events], sort, direction),
          );
        }
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(6 * share) });
  });
}

function describeCursors(storeOf: () => EventStore, listed: List): void {
  const encode = (position: unknown) => Buffer.from(JSON.stringify(position)).toString("base64url");

  test("accept only a cursor of the same sort and direction", async () => {
    const orgId = randomUUID();
    const call = { orgId, type: "model_call", latencyMs: 1 } as const;
    await storeOf().append([storedEvent(call), storedEvent(call), storedEvent(call)]);
    const { nextCursor } = await listed({ orgId, limit: 2 });
    const cursor = nextCursor ?? "";
    expect((await listed({ orgId, limit: 2, cursor })).items.length).toBe(1);
    const refused: readonly Partial<RawEventQuery>[] = [
      { cursor, sort: "latency_ms" },
      { cursor, direction: "asc" },
      ...["", "%", "bnVsbA", encode(null), encode([]), encode(["occurred_at", "desc", 1])].map((text) => ({
        cursor: text,
      })),
      { cursor: encode(["occurred_at", "desc", "1", "e"]) },
      { cursor: encode(["occurred_at", "desc", null, "e"]) },
      { cursor: encode(["occurred_at", "desc", 1, 2]) },
    ];
    for (const ask of refused)
      await expect(listed({ orgId, ...ask }), JSON.stringify(ask)).rejects.toMatchObject({
        kind: "invalid-query",
      });
  });

  test("continue after an event that has been swept in between", async () => {
    const orgId = randomUUID();
    const at = (hour: number) => ({ occurredAt: T0 - hour * 3_600_000 });
    await storeOf().append([
      storedEvent({ orgId, eventId: "first", ...at(0), receivedAt: T0 - 50 * DAY_MS }),
      storedEvent({ orgId, eventId: "second", ...at(1) }),
    ]);
    const { nextCursor } = await listed({ orgId, limit: 1 });
    await storeOf().sweepRaw([{ orgIds: [orgId], receivedBefore: T0 - 40 * DAY_MS }]);
    const rest = await listed({ orgId, limit: 1, cursor: nextCursor ?? "" });
    expect(rest.items.map(({ eventId }) => eventId)).toEqual(["second"]);
  });
}

function describeOutcomes(storeOf: () => EventStore): void {
  test("list their user's outcomes in the experiment, newest first, up to the limit", async () => {
    const orgId = randomUUID();
    const outcome = (value: number, fields: Partial<StoredEvent> = {}) =>
      storedEvent({
        ...{ orgId, type: "business_event", businessMetric: "revenue", value, occurredAt: T0 + value },
        ...fields,
      });
    const events = [
      ...[3, 1, 2].map((value) => outcome(value)),
      outcome(9, { userId: "other" }),
      outcome(9, { experimentId: "exp-2" }),
      outcome(9, { orgId: randomUUID() }),
      outcome(9, { type: "model_call" }),
    ];
    await storeOf().append(events);
    const ask = { orgId, experimentId: "exp", userId: "user" };
    const values = async (limit: number) =>
      (await storeOf().listOutcomes({ ...ask, limit })).map(({ value }) => value);
    expect(await values(20)).toEqual([3, 2, 1]);
    expect(await values(2)).toEqual([3, 2]);
    expect(await storeOf().listOutcomes({ ...ask, limit: 1 })).toEqual([
      { businessMetric: "revenue", value: 3, occurredAt: T0 + 3 },
    ]);
  });
}
