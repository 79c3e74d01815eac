import { randomUUID } from "node:crypto";
import { DAY_MS, dayOf, type EventStore, type StoredEvent, type UnitHistoryQuery } from "@assay/domain";
import { expect, test } from "vitest";
import { latency, revenue } from "./arm-metrics.ts";
import { storedEvent, T0 } from "./stored-event.ts";

/** Tests the history of an org's users by conversation or by run. */
export function describeUnitHistory(storeOf: () => EventStore): void {
  async function historyOf(
    events: readonly Partial<StoredEvent>[],
    query: Partial<UnitHistoryQuery> & Pick<UnitHistoryQuery, "unit">,
  ) {
    const orgId = randomUUID();
    await storeOf().append(events.map((event) => storedEvent({ ...event, orgId })));
    return storeOf().loadUnitHistory({
      ...{ orgId, from: T0, until: T0 + 28 * DAY_MS, metrics: [latency, revenue], prices: [] },
      ...{ exclusions: [], ofExperiments: ["on-units"] },
      ...query,
    });
  }
  const call = (userId: string, latencyMs: number, more: Partial<StoredEvent> = {}) => ({
    ...({ type: "model_call", userId, latencyMs, occurredAt: T0 + 1, receivedAt: T0 + 2 } as const),
    ...more,
  });
  const said = (id: string) => ({ metadata: JSON.stringify({ conversation_id: id }) });
  const valuesOf = ({ metrics }: Awaited<ReturnType<typeof historyOf>>, name: string) => {
    const found = metrics.find(({ metric }) => metric === name);
    if (found === undefined) return null;
    const { y, d, clusters } = found.sample;
    const users = Map.groupBy(
      [...y].map((value, i) => [value, d[i]!]),
      (_, i) => clusters![i],
    );
    return [...users.values()].map((units) => units.sort()).sort();
  };

  test("groups calls by the conversation that they name, in any experiment, and users by theirs", async () => {
    const history = await historyOf(
      [
        call("ann", 10, said("c1")),
        call("ann", 20, said("c1")),
        call("ann", 40, { ...said("c2"), experimentId: "other", occurredAt: T0 + DAY_MS }),
        // The same id under another user is another conversation.
        call("bob", 5, said("c1")),
        call("bob", 7, { unitId: "u-1", experimentId: "on-units", ...said("c1") }),
        call("svc-test-1", 99, said("c1")),
        call("ann", 99, { ...said("c1"), occurredAt: T0 - 1 }),
        { type: "exposure", variant: "a", userId: "idle", receivedAt: T0 + 2 },
      ],
      { unit: "conversation" },
    );
    expect(history).toMatchObject({ users: 2, units: 4 });
    expect(history.unitsByDay).toEqual(
      new Map([
        [dayOf(T0), 3],
        [dayOf(T0 + DAY_MS), 1],
      ]),
    );
    expect(valuesOf(history, "latency")).toEqual([
      [
        [30, 2],
        [40, 1],
      ],
      [
        [5, 1],
        [7, 1],
      ],
    ]);
  });

  test("groups events by run, where units without a value count as 0", async () => {
    const bought = { type: "business_event", businessMetric: "revenue", occurredAt: T0 + 1 } as const;
    const history = await historyOf(
      [
        call("ann", 10, { runId: "r1" }),
        call("ann", 20, { runId: "r2" }),
        { ...bought, userId: "ann", runId: "r1", value: 3, receivedAt: T0 + 2 },
        call("bob", 5, { unitId: "r1", experimentId: "on-units" }),
      ],
      { unit: "run" },
    );
    expect(history).toMatchObject({ users: 2, units: 3 });
    expect(valuesOf(history, "revenue")).toEqual([
      [[0, 1]],
      [
        [0, 1],
        [3, 1],
      ],
    ]);
  });

  test("leaves out a metric whose events name no unit, and one that nobody reported", async () => {
    const calls = Array.from({ length: 9 }, (_, i) => call(`u${i}`, i, { runId: "r" }));
    const [few, many] = [[call("v", 1)], [call("v", 1), call("v", 2)]];
    const known = await historyOf([...calls, ...few], { unit: "run" });
    expect(known.metrics.map(({ metric, users }) => [metric, users])).toEqual([["latency", 9]]);
    const unknown = await historyOf([...calls, ...many], { unit: "run" });
    expect([unknown.metrics, unknown.units]).toEqual([[], 9]);
  });

  test("answers for an org without events", async () => {
    expect(await historyOf([], { unit: "run" })).toEqual({
      ...{ users: 0, units: 0, unitsByDay: new Map(), metrics: [] },
    });
  });
}
