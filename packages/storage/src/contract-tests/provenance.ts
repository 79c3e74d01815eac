import { randomUUID } from "node:crypto";
import { DAY_MS, type EventSource, type EventStore, monthOf, type StoredEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { revenue } from "./arm-metrics.ts";
import { loadFacts } from "./load-facts.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

const UNTIL = T0 + 30 * DAY_MS;
const TRUSTED: readonly EventSource[] = ["secret", "import", "signed", "test"];

/** Tests how senders are stored, and how they affect which events count. */
export function describeProvenance(storeOf: () => EventStore): void {
  const arms = (orgId: string, acceptFrom: readonly EventSource[] | null = null) =>
    storeOf().loadArms({
      ...{ ...wholeExperiment(orgId), until: UNTIL, periodStarts: [], prices: [], sample: null },
      metrics: [{ ...revenue, acceptFrom }],
    });
  const sumOf = async (orgId: string, acceptFrom?: readonly EventSource[]) =>
    (await arms(orgId, acceptFrom)).metrics.map(({ meanY, users }) => meanY * users)[0];
  const sale = (orgId: string, fields: Partial<StoredEvent>): StoredEvent =>
    storedEvent({ orgId, type: "business_event", businessMetric: "revenue", occurredAt: T0 + 1, ...fields });
  const factsOf = async (orgId: string) => {
    const query = { ...wholeExperiment(orgId), until: UNTIL, prices: [], configuredModels: {} };
    return (await loadFacts(storeOf(), query)).attribution;
  };

  describe("an event id", () => {
    /** A public sale of 100 and a trusted one of 1 under the same id, by an exposed user. */
    async function sendBoth(orders: readonly ("public" | "trusted")[][], change: Partial<StoredEvent> = {}) {
      const orgId = randomUUID();
      await storeOf().append([
        storedEvent({ orgId, variant: "a" }),
        storedEvent({ orgId, userId: "other", variant: "a" }),
      ]);
      const events = {
        public: sale(orgId, { eventId: "order-1", source: "publishable", value: 100, ...change }),
        trusted: sale(orgId, { eventId: "order-1", source: "signed", value: 1, receivedAt: T0 + 2_000 }),
      };
      for (const batch of orders) await storeOf().append(batch.map((sender) => events[sender]));
      return orgId;
    }

    test.each([
      { name: "before the trusted one", orders: [["public"], ["trusted"]] },
      { name: "after it", orders: [["trusted"], ["public"]] },
      { name: "in one batch", orders: [["public", "trusted"]] },
      { name: "again and again", orders: [["public"], ["trusted"], ["public", "trusted"], ["public"]] },
    ] as const)("of a public event $name leaves only the trusted one", async ({ orders }) => {
      for (const change of [{}, { userId: "other" }, { userId: "nobody" }]) {
        const orgId = await sendBoth(orders as never, change);
        expect([orgId, await sumOf(orgId)]).toEqual([orgId, 1]);
        expect((await factsOf(orgId)).supersededIds).toBe(1);
      }
    });

    test("is checked within its class only: a repeat is a repeat", async () => {
      const orgId = randomUUID();
      const send = (source: EventSource | null, value: number) =>
        storeOf().append([sale(orgId, { eventId: "order-1", source, value })]);
      await storeOf().append([storedEvent({ orgId, variant: "a" })]);
      await send("publishable", 1);
      await send("publishable", 5);
      expect(await sumOf(orgId)).toBe(1);
      await send("secret", 7);
      for (const source of TRUSTED) await send(source, 9);
      expect(await sumOf(orgId)).toBe(7);
      expect(await storeOf().countReceived([orgId], monthOf(T0))).toEqual([3]);
    });

    test("of an event from before senders were kept is known to both classes", async () => {
      const orgId = randomUUID();
      await storeOf().append([
        storedEvent({ orgId, variant: "a" }),
        sale(orgId, { eventId: "old", value: 3 }),
      ]);
      for (const source of ["publishable", "signed"] as const)
        await storeOf().append([sale(orgId, { eventId: "old", source, value: 50 })]);
      expect(await sumOf(orgId)).toBe(3);
    });
  });

  test("a metric that names its sources reads only those", async () => {
    const orgId = randomUUID();
    const all: readonly (EventSource | null)[] = ["publishable", ...TRUSTED, null];
    await storeOf().append([
      storedEvent({ orgId, variant: "a" }),
      ...all.map((source, i) => sale(orgId, { source, value: 2 ** i })),
    ]);
    expect(await sumOf(orgId)).toBe(63);
    expect(await sumOf(orgId, ["publishable"])).toBe(1);
    expect(await sumOf(orgId, ["signed", "secret"])).toBe(10);
    expect(
      (await factsOf(orgId)).outcomes.map(({ source, events, users }) => [source, events, users]).sort(),
    ).toEqual(all.map((source) => [source, 1, 1]).sort());
  });

  test("an exposure that is not eligible exposes nobody, and is counted by its reason", async () => {
    const orgId = randomUUID();
    await storeOf().append([
      storedEvent({ orgId, variant: "a", ineligibleReason: "stopped", occurredAt: T0 - 5 }),
      storedEvent({ orgId, variant: "b", ineligibleReason: "stray", occurredAt: T0 - 4, userId: "v" }),
      storedEvent({ orgId, variant: null, ineligibleReason: "uncovered", userId: "w" }),
      storedEvent({ orgId, variant: "a", occurredAt: T0 }),
      sale(orgId, { value: 4, occurredAt: T0 - 1 }),
      sale(orgId, { value: 5 }),
    ]);
    const { exposures, metrics, firstExposureAt } = await arms(orgId);
    expect(exposures).toMatchObject([{ arm: "a", users: 1, contaminatedUsers: 0 }]);
    expect(metrics).toMatchObject([{ users: 1, meanY: 5 }]);
    expect(firstExposureAt).toBe(T0);
    expect(await storeOf().traffic(wholeExperiment(orgId))).toMatchObject([{ variant: "a", exposures: 1 }]);
    expect(await storeOf().countExposures({ orgId, exclusions: [] })).toMatchObject([
      { variant: "a", exposures: 1 },
    ]);
    expect((await factsOf(orgId)).ineligible).toEqual([
      { reason: "stopped", variant: "a", users: 1, exposures: 1, since: T0 - 5 },
      { reason: "stray", variant: "b", users: 1, exposures: 1, since: T0 - 4 },
      { reason: "uncovered", variant: null, users: 1, exposures: 1, since: T0 },
    ]);
  });

  test("a test event exposes a test user and counts for no metric", async () => {
    const orgId = randomUUID();
    await storeOf().append([
      storedEvent({ orgId, variant: "a", markedTest: true }),
      sale(orgId, { value: 4 }),
      storedEvent({ orgId, variant: "a", userId: "real" }),
      sale(orgId, { userId: "real", value: 9, markedTest: true }),
      sale(orgId, { userId: "real", value: 1 }),
    ]);
    const { exposures, metrics } = await arms(orgId);
    expect(exposures).toMatchObject([{ arm: "a", users: 2, testUsers: 1 }]);
    expect(metrics).toMatchObject([{ users: 1, events: 1, meanY: 1 }]);
  });

  test("first exposures come with the map's variant and their sender, outcomes with whether they came before", async () => {
    const orgId = randomUUID();
    const exposed = { orgId, variant: "a", source: "secret", client: "assay-python/1.0.0" } as const;
    await storeOf().append([
      storedEvent({ ...exposed, assignedVariant: "a", userId: "u1" }),
      storedEvent({ ...exposed, assignedVariant: "b", userId: "u1", occurredAt: T0 + 1 }),
      storedEvent({ ...exposed, assignedVariant: "b", userId: "u2" }),
      storedEvent({ ...exposed, assignedVariant: "b", userId: "u3" }),
      sale(orgId, { userId: "u1", occurredAt: T0 - 1 }),
      sale(orgId, { userId: "u2", occurredAt: T0 - 1 }),
      sale(orgId, { userId: "u2", occurredAt: T0 }),
      sale(orgId, { userId: "nobody", occurredAt: T0 - 1 }),
    ]);
    const { firstExposures, outcomes } = await factsOf(orgId);
    const from = { variant: "a", source: "secret", client: "assay-python/1.0.0" };
    expect(firstExposures).toEqual([
      { ...from, assignedVariant: "b", users: 2 },
      { ...from, assignedVariant: "a", users: 1 },
    ]);
    expect(outcomes).toEqual([
      {
        ...{ type: "business_event", businessMetric: "revenue", source: null },
        ...{ events: 4, users: 3, usersBeforeExposure: 1, usersWithoutExposure: 1 },
      },
    ]);
  });
}
