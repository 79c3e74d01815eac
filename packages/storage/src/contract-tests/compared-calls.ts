import { randomUUID } from "node:crypto";
import type { ComparedCallsQuery, EventStore, StoredEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0 } from "./stored-event.ts";

const DEFAULTS = {
  experimentId: "exp",
  prices: PRICES,
  perVariant: 10,
  limit: 50,
  longestPrompt: 20,
  answerLength: 5,
} as const;

/** Tests how the calls of a comparison are read. */
export function describeComparedCalls(storeOf: () => EventStore): void {
  const listCompared = (ask: Partial<ComparedCallsQuery> & { readonly orgId: string }) =>
    storeOf().listCompared({ ...DEFAULTS, ...ask });

  async function store(calls: readonly Partial<StoredEvent>[]): Promise<string> {
    const orgId = randomUUID();
    const texts = { type: "model_call", prompt: "why?", response: "so", variant: "a" } as const;
    await storeOf().append(
      calls.map((call, index) =>
        storedEvent({ orgId, eventId: `e${index}`, occurredAt: T0 + index, ...texts, ...call }),
      ),
    );
    return orgId;
  }
  const idsOf = async (ask: Parameters<typeof listCompared>[0]) =>
    (await listCompared(ask)).map(({ eventId }) => eventId);

  describe("compared calls", () => {
    test("have their texts, tokens, latency and cost", async () => {
      const { model } = PRICES[0]!;
      const numbers = { inputTokens: 10, outputTokens: 4, latencyMs: 900 };
      const orgId = await store([
        { userId: "u", model, ...numbers, costUsd: 0.5, response: "Gemüse!" },
        { userId: "v", unitId: "c1", variant: "b", error: true, response: null, model: null, costUsd: null },
      ]);
      const of = { prompt: "why?" };
      expect(await listCompared({ orgId })).toEqual([
        {
          ...{
            ...of,
            eventId: "e1",
            userId: "v",
            unitId: "c1",
            variant: "b",
            occurredAt: T0 + 1,
            hasFailed: true,
          },
          ...{ response: null, isCut: false, model: null },
          ...{ inputTokens: null, outputTokens: null, costUsd: null, latencyMs: null },
        },
        {
          ...{
            ...of,
            eventId: "e0",
            userId: "u",
            unitId: null,
            variant: "a",
            occurredAt: T0,
            hasFailed: false,
          },
          ...{ response: "Gemüs", isCut: true, model, ...numbers, costUsd: 0.5 },
        },
      ]);
    });

    test("are the newest of each variant", async () => {
      const orgId = await store([..."abaab"].map((variant) => ({ variant })));
      expect(await idsOf({ orgId })).toEqual(["e4", "e3", "e2", "e1", "e0"]);
      expect(await idsOf({ orgId, perVariant: 1 })).toEqual(["e4", "e3"]);
      expect(await idsOf({ orgId, limit: 3 })).toEqual(["e4", "e3", "e2"]);
    });

    test("are those requested by id", async () => {
      const orgId = await store([{}, {}, {}]);
      expect(await idsOf({ orgId, eventIds: ["e2", "e0", "nobody's"] })).toEqual(["e2", "e0"]);
      expect(await idsOf({ orgId: randomUUID(), eventIds: ["e2"] })).toEqual([]);
      expect(await idsOf({ orgId, experimentId: "other", eventIds: ["e2"] })).toEqual([]);
    });

    test("that name no variant are the newest of each user", async () => {
      const orgId = await store([..."uvuuv"].map((userId) => ({ userId, variant: null })));
      expect(await idsOf({ orgId, perVariant: 2 })).toEqual(["e4", "e3", "e2", "e1"]);
      expect((await listCompared({ orgId, limit: 1 }))[0]).toMatchObject({ eventId: "e4", variant: null });
    });

    test("leave out other events, test users, and calls without a text to compare", async () => {
      const orgId = await store([
        { type: "exposure", prompt: null, response: null },
        { userId: "svc-test-1" },
        { prompt: null },
        { response: null },
        { prompt: "a prompt of more than 20 bytes" },
        { userId: "a\0b" },
        {},
      ]);
      expect(await idsOf({ orgId })).toEqual(["e6"]);
    });
  });
}
