import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FactsQuery, loadFacts } from "./load-facts.ts";
import { leftOf, sent, someExclusions } from "./reference-exclusions.ts";
import { referenceHealth } from "./reference-health.ts";
import { shareOf } from "./share.ts";
import { someEvent } from "./some-event.ts";
import { PRICES } from "./some-prices.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

const someDelay = fc.constantFrom(0, 1_000, DAY_MS, DAY_MS + 1, -300_000, -300_001, -2 * HOUR_MS);
const someCall = fc.record({
  requestedModel: fc.constantFrom("full", "Full", "openai/full-2025-01-01", "plain", null),
  usageEstimated: fc.boolean(),
  finishReason: fc.constantFrom("stop", "length", "MAX_TOKENS", "incomplete", "lengthy", null),
});
/** An event with the additional fields that the health counts read. */
const someReceivedEvent = fc.tuple(someEvent, someDelay, someCall).map(([event, delay, call]) => ({
  ...event,
  ...(event.type === "model_call" && call),
  receivedAt: (event.occurredAt ?? T0) + delay,
}));

/** Tests the quality counts of events, arm by arm. */
export function describeHealth(storeOf: () => EventStore, share = 1): void {
  test("counts later events than those that the arms are made of", async () => {
    const orgId = randomUUID();
    const at = (occurredAt: number) =>
      storedEvent({ orgId, variant: "a", userId: `u${occurredAt}`, occurredAt });
    await storeOf().append([at(T0), at(T0 + 5)]);
    const { arms, facts } = await storeOf().loadRun({
      ...{ ...wholeExperiment(orgId), until: T0 + 5, factsUntil: T0 + 6, periodStarts: [] },
      ...{ metrics: [], sample: null, prices: [], configuredModels: {} },
    });
    expect(arms.exposures).toMatchObject([{ arm: "a", users: 1 }]);
    expect(facts.health).toMatchObject([{ arm: "a", users: 2, events: 2 }]);
  });

  async function healthOf(events: readonly Partial<StoredEvent>[], query: Partial<FactsQuery> = {}) {
    const orgId = randomUUID();
    const stored = events.map((event) =>
      storedEvent({ receivedAt: event.occurredAt ?? T0, ...event, orgId }),
    );
    await storeOf().append(stored);
    const { health } = await loadFacts(storeOf(), {
      ...wholeExperiment(orgId),
      until: T0 + 30 * DAY_MS,
      prices: [],
      configuredModels: {},
      ...query,
    });
    return health;
  }
  const exposure = { variant: "a" } as const;
  const call = (fields: Partial<StoredEvent> = {}) =>
    ({ type: "model_call", error: false, ...fields }) as const;

  test("matches a plain reference implementation of the rules on random events", async () => {
    const property = fc.asyncProperty(
      fc.array(someReceivedEvent, { maxLength: 80 }),
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom<Record<string, string>>({}, { a: "full" }, { b: "azure/Plain-20200101", "it's": "?" }),
      someExclusions,
      async (fields, hoursSeen, configuredModels, exclusions) => {
        const orgId = randomUUID();
        const events = sent(fields).map((field) => storedEvent({ ...field, orgId }));
        await storeOf().append([...events, ...events.slice(0, 5)]);
        const until = T0 + hoursSeen * HOUR_MS;
        const query = { ...wholeExperiment(orgId), exclusions, until, prices: PRICES, configuredModels };
        const left = leftOf(events, [{ experimentId: "exp", matches: exclusions }]);
        expect((await loadFacts(storeOf(), query)).health).toEqual(referenceHealth(left, query));
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(25 * share) });
  });

  const models = [
    { model: "gpt-4o-2024-08-06", expected: "gpt-4o", others: 0 },
    { model: "gpt-4o", expected: "openai/gpt-4o-2024-08-06", others: 0 },
    { model: "models/gemini-2.0-flash", expected: "Gemini-2.0-Flash", others: 0 },
    { model: "claude-3-5-haiku-20241022", expected: "claude-3-5-haiku@20240620", others: 0 },
    { model: "claude-3-5-haiku-20241022", expected: "claude-3-5-haiku-latest", others: 0 },
    { model: "gpt-4o-mini", expected: "gpt-4o", others: 1 },
    { model: "gpt-4", expected: "gpt-4-0613", others: 1 },
  ];
  test.each(shareOf(models, share))(
    "counts $model, where $expected is expected, as $others other models",
    async ({ model, expected, others }) => {
      const requested = await healthOf([exposure, call({ model, requestedModel: expected })]);
      expect(requested).toMatchObject([{ callsWithModel: 1, otherModel: { count: others } }]);
      const configured = await healthOf([exposure, call({ model, requestedModel: model })], {
        configuredModels: { a: expected },
      });
      expect(configured).toMatchObject([{ callsWithModel: 1, otherModel: { count: others } }]);
    },
  );

  test("does not check a call that names no model, or without an expected model", async () => {
    const calls = [call({ requestedModel: "m" }), call({ model: "m" }), call({ error: true, model: "x" })];
    const [health] = await healthOf([exposure, ...calls], { configuredModels: { b: "other" } });
    expect(health).toMatchObject({ callsWithModel: 0, otherModel: { count: 0, since: null } });
  });

  test("dates a fault; for several variants, from the first exposure to another variant", async () => {
    const [health] = await healthOf([
      { ...exposure, occurredAt: T0 },
      { ...exposure, occurredAt: T0 + 1 },
      { variant: "b", occurredAt: T0 + 3 },
      { variant: "b", occurredAt: T0 + 2 },
      call({ error: true, occurredAt: T0 + 9 }),
      call({ error: true, occurredAt: T0 + 8 }),
      call({ error: true, occurredAt: T0 + 60 * DAY_MS }),
    ]);
    expect(health).toMatchObject({
      arm: "a",
      users: 1,
      events: 6,
      errors: { count: 2, since: T0 + 8 },
      severalVariants: { count: 1, since: T0 + 2 },
    });
  });

  test("lists the 50 most used models", async () => {
    const calls = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: i < 5 ? 2 : 1 }, () => call({ model: `m${String(i).padStart(2, "0")}` })),
    );
    const [health] = await healthOf([exposure, ...calls.flat().reverse()]);
    const names = Array.from({ length: 50 }, (_, i) => `m${String(i).padStart(2, "0")}`);
    expect(health?.models.map(({ model }) => model)).toEqual(names);
    expect(health?.models[0]).toEqual({ model: "m00", calls: 2, unpricedCalls: 2 });
  });

  test("returns nothing for an experiment without events", async () => {
    expect(await healthOf([])).toEqual([]);
  });
}
