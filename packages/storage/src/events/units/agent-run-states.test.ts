import { type AnalysisQuery, DAY_MS, type StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import { RUN_METRICS, someRunEvent } from "../../contract-tests/agent-runs.ts";
import { at, MIDNIGHT, useStateWorld } from "../../contract-tests/state-world.ts";
import { storedEvent, wholeExperiment } from "../../contract-tests/stored-event.ts";

const NIGHTS = inNight(4, 20);
const EVENTS_PER_NIGHT = 60;
const HOUR_MS = 3_600_000;

const { world } = await useStateWorld();

const queryOf = (until: number, more: Partial<AnalysisQuery> = {}): AnalysisQuery => ({
  ...wholeExperiment("org"),
  ...{ until, periodStarts: [MIDNIGHT + 2 * DAY_MS], metrics: RUN_METRICS, prices: [] },
  sample: { maxUsersPerArm: 12, preDays: 14 },
  ...more,
});

const sent = (occurredAt: number, event: Partial<StoredEvent>) =>
  storedEvent({ userId: "ann", runId: "r", ...event, occurredAt, receivedAt: occurredAt });
const called = (occurredAt: number, agentName: string, event: Partial<StoredEvent> = {}) =>
  sent(occurredAt, { type: "model_call", agentName, costUsd: 0.1, ...event });
const rowOf = ({ metrics }: Awaited<ReturnType<typeof world.load>>, name: string) =>
  metrics.find(({ metric }) => metric === name);

test("a run over midnight counts once, when it has ended", async () => {
  await world.store.append([
    ...[sent(at(0, 1), { variant: "a", runId: null }), called(at(0, 23.9), "planner")],
    called(at(0, 23.95), "writer"),
  ]);
  const open = await world.expectSame(queryOf(at(1, 0)));
  expect(open.facts.agentRuns).toMatchObject([{ open: 1, done: 0 }]);
  expect(rowOf(open, "turns per run")).toBeUndefined();
  await world.store.append([
    ...[called(at(1, 0.1), "planner"), sent(at(1, 0.2), { type: "tool_call", error: true })],
    sent(at(1, 0.2), { type: "run_end", completed: true }),
  ]);
  const ended = await world.expectSame(queryOf(at(2, 0)));
  expect(world.heard).toMatchObject({ tails: 1, rereads: 0 });
  expect(ended.facts.agentRuns).toMatchObject([{ open: 0, done: 1 }]);
  expect(rowOf(ended, "turns per run")).toMatchObject({ users: 1, events: 1, meanY: 3, meanD: 1 });
  expect(rowOf(ended, "handoffs")).toMatchObject({ meanY: 2 });
  expect(rowOf(ended, "cost per task done")).toMatchObject({ meanY: 0.1 + 0.1 + 0.1, meanD: 1 });
  expect(rowOf(ended, "duration per run")).toMatchObject({ meanY: Math.round(0.3 * HOUR_MS) });
});

test("a call that arrives late among those of a stored run is put in its place", async () => {
  await world.store.append([
    ...[
      sent(at(0, 1), { variant: "a", runId: null }),
      called(at(0, 2), "planner"),
      called(at(0, 4), "planner"),
    ],
    sent(at(0, 5), { type: "run_end", completed: false }),
  ]);
  expect(rowOf(await world.expectSame(queryOf(at(1, 0))), "handoffs")).toMatchObject({ meanY: 0 });
  await world.store.append([{ ...called(at(0, 3), "writer"), receivedAt: at(1, 1) }]);
  const late = await world.expectSame(queryOf(at(2, 0)));
  expect(rowOf(late, "handoffs")).toMatchObject({ meanY: 2 });
  expect(rowOf(late, "share done")).toMatchObject({ meanY: 0, meanD: 1 });
  expect(world.heard).toMatchObject({ tails: 1, rereads: 2 });
});

test("without a metric of handoffs, no call is read again", async () => {
  const metrics = RUN_METRICS.filter(({ name }) => name !== "handoffs");
  await world.store.append([
    ...[
      sent(at(0, 1), { variant: "a", runId: null }),
      called(at(0, 2), "planner"),
      called(at(0, 4), "planner"),
    ],
  ]);
  await world.expectSame(queryOf(at(1, 0), { metrics }));
  await world.store.append([{ ...called(at(0, 3), "writer"), receivedAt: at(1, 1) }]);
  const late = await world.expectSame(queryOf(at(2, 0), { metrics }));
  expect(rowOf(late, "turns per run")).toMatchObject({ meanY: 3 });
  expect(world.heard).toMatchObject({ tails: 1, rereads: 0 });
});

test.each(["user", "conversation", "run"] as const)(
  "night by night over a random history of a %s's runs, answers and state are byte for byte those of a rebuild",
  async (unit) => {
    const events = fc.sample(someRunEvent, { numRuns: NIGHTS * EVENTS_PER_NIGHT, seed: 29 });
    for (let night = 0; night < NIGHTS; night++) {
      const stored = events
        .slice(night * EVENTS_PER_NIGHT, (night + 1) * EVENTS_PER_NIGHT)
        .map(({ minutes, ...event }, i) => {
          // Some occur the evening before, and some arrive the next day.
          const occurredAt = at(night, event.type === "exposure" ? 0 : 20) + minutes * 60_000;
          return storedEvent({
            ...{ ...event, eventId: `e${night}-${i}`, occurredAt },
            unitId: unit === "user" ? null : `${event.userId} ${i % 8}`,
            receivedAt: occurredAt + (i % 9 === 0 ? 8 * HOUR_MS : 0),
            samplingProbability: night >= NIGHTS / 2 && i % 5 === 0 ? 0.5 : null,
          });
        });
      await world.store.append(stored.toReversed());
      await world.store.append(stored.slice(0, 10));
      await world.expectSame(queryOf(at(night + 1, 0), { unit }));
    }
    const last = queryOf(at(NIGHTS, 0), { unit });
    const state = await world.state(last);
    await world.forget();
    await world.load(last);
    expect(state).not.toBeNull();
    expect(await world.state(last)).toEqual(state);
    expect(world.heard.tails).toBeGreaterThan(0);
  },
);
