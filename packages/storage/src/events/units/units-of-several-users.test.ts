import type { AnalysisQuery, EventType, StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import { METRICS } from "../../contract-tests/arm-metrics.ts";
import { MODELS, PRICES } from "../../contract-tests/some-prices.ts";
import { at, useStateWorld } from "../../contract-tests/state-world.ts";
import { storedEvent, wholeExperiment } from "../../contract-tests/stored-event.ts";

const NIGHTS = 6;
const EVENTS_PER_NIGHT = 40;
/**
 * In the first two, a unit's later users did something before, which a night that read everything once added. In each, some night begins from
 * a state; with seed 4, late events would make all of them read everything.
 */
const SEEDS = [2, 5, 1, 3, 7, 6].slice(0, inNight(2, 6));
const HOUR_MS = 3_600_000;

const { world } = await useStateWorld();

const SOME_METRICS = METRICS.filter(({ name }) =>
  ["latency", "revenue", "bought in 2 days", "latency p50", "typical revenue"].includes(name),
);

const queryOf = (unit: AnalysisQuery["unit"], experimentId: string, until: number): AnalysisQuery => ({
  ...{ ...wholeExperiment("org", experimentId), unit, until, periodStarts: [] },
  ...{ metrics: SOME_METRICS, prices: PRICES, sample: { maxUsersPerArm: 12, preDays: 14 } },
});

/** Any of seven users in any of fifteen units, some of them days late. */
const someEvent = fc.record({
  type: fc.constantFrom<EventType[]>("exposure", "exposure", "model_call", "business_event"),
  userId: fc.integer({ min: 0, max: 6 }).map((i) => `u${i}`),
  unitId: fc.integer({ min: 0, max: 14 }).map((i) => `c${i}`),
  experimentId: fc.constantFrom("exp", "exp", "exp", "other"),
  hours: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -20, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: -90, max: 4 }) },
  ),
  value: fc.integer({ min: 1, max: 1e6 }).map((i) => Math.exp(Math.sin(i))),
  hoursLate: fc.constantFrom(0, 0, 0, 0, 10, 30),
  model: fc.constantFrom(...MODELS, null),
});

/** What an event of a type says besides. */
function fieldsOf(type: EventType, { unitId, value }: { readonly unitId: string; readonly value: number }) {
  if (type === "exposure") return { variant: Number(unitId.slice(1)) % 2 === 0 ? "a" : "b" };
  if (type === "business_event") return { businessMetric: "revenue", value };
  return { latencyMs: value, inputTokens: Math.round(1_000 * value), outputTokens: 5, runId: unitId };
}

test.each(SEEDS.flatMap((seed) => (["conversation", "run"] as const).map((unit) => [unit, seed] as const)))(
  "night by night, answers and state of %ss of several users are byte for byte those of a rebuild, seed %i",
  async (unit, seed) => {
    const events = fc.sample(someEvent, { numRuns: NIGHTS * EVENTS_PER_NIGHT, seed });
    for (let night = 0; night < NIGHTS; night++) {
      const stored = events
        .slice(night * EVENTS_PER_NIGHT, (night + 1) * EVENTS_PER_NIGHT)
        .map(({ hours, hoursLate, value, model, ...event }, i): StoredEvent => {
          const occurredAt = at(night, 21 + hours);
          return storedEvent({
            ...{
              ...event,
              eventId: `e${night}-${i}`,
              occurredAt,
              receivedAt: occurredAt + hoursLate * HOUR_MS,
            },
            ...{ model: event.type === "model_call" ? model : null, variant: null },
            ...fieldsOf(event.type, { unitId: event.unitId, value }),
          });
        });
      await world.store.append(stored.toReversed());
      await world.store.append(stored.slice(0, 5));
      for (const experimentId of ["exp", "other"])
        await world.expectSame(queryOf(unit, experimentId, at(night + 1, 0)));
    }
    const last = queryOf(unit, "exp", at(NIGHTS, 0));
    const state = await world.state(last);
    await world.forget();
    await world.load(last);
    expect(state).not.toBeNull();
    expect(await world.state(last)).toEqual(state);
    expect(world.heard.tails).toBeGreaterThan(0);
  },
);
