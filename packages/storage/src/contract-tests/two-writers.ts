import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, monthOf, type StoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { latency } from "./arm-metrics.ts";
import { storedEvent, T0, wholeExperiment } from "./stored-event.ts";

/**
 * Tests the rules for several processes that append to one store at the same time. Each call of `open` returns a migrated
 * store on the same tables.
 */
export function twoWritersContract(name: string, open: () => Promise<EventStore>): void {
  describe(`${name} with two writers`, () => {
    let stores: readonly [EventStore, EventStore];
    beforeAll(async () => {
      stores = [await open(), await open()];
    });
    afterAll(async () => {
      for (const store of stores) await store.close();
    });

    /** Both append at once, several times, like a queue that delivers to two workers. */
    const appendAtOnce = async (lists: readonly [readonly StoredEvent[], readonly StoredEvent[]]) => {
      await Promise.all(stores.map((store, i) => store.append(lists[i]!)));
    };

    test("equal events are counted once and read once", async () => {
      const orgId = randomUUID();
      const events = Array.from({ length: 200 }, (_, i) => [
        storedEvent({ orgId, userId: `u${i}`, variant: "a" }),
        storedEvent({ orgId, userId: `u${i}`, type: "model_call", latencyMs: i, occurredAt: T0 + 1 }),
      ]).flat();
      await appendAtOnce([events, events.toReversed()]);
      await appendAtOnce([events.slice(0, 100), events.slice(50)]);
      for (const store of stores) {
        expect(await store.countReceived([orgId], monthOf(T0))).toEqual([400]);
        expect(await store.traffic(wholeExperiment(orgId))).toMatchObject([{ exposures: 200, users: 200 }]);
        const arms = await store.loadArms({
          ...{ ...wholeExperiment(orgId), until: T0 + DAY_MS, periodStarts: [] },
          ...{ metrics: [latency], prices: [], sample: null },
        });
        expect(arms).toMatchObject({ outcomes: 200, exposures: [{ users: 200 }] });
        expect(arms.metrics).toMatchObject([{ users: 200, events: 200, meanY: 99.5 }]);
        const page = await store.listRaw({
          ...{ ...wholeExperiment(orgId), filter: {}, prices: [], previewLength: 1 },
          ...{ sort: "occurred_at", direction: "asc", limit: 1_000 },
        });
        expect(new Set(page.items.map(({ eventId }) => eventId)).size).toBe(400);
        expect(page.items).toHaveLength(400);
      }
    });

    test("an id with different content of the same user is one event", async () => {
      const orgId = randomUUID();
      const [one, other] = [5, 7].map((latencyMs) =>
        storedEvent({ orgId, eventId: "e", type: "model_call", latencyMs, receivedAt: T0 + latencyMs }),
      ) as [StoredEvent, StoredEvent];
      const exposed = storedEvent({ orgId, variant: "a" });
      await appendAtOnce([
        [exposed, one],
        [exposed, other],
      ]);
      expect(await stores[0].countReceived([orgId], monthOf(T0))).toEqual([2]);
      const arms = await stores[1].loadArms({
        ...{ ...wholeExperiment(orgId), until: T0 + DAY_MS, periodStarts: [] },
        ...{ metrics: [latency], prices: [], sample: null },
      });
      expect(arms.outcomes).toBe(1);
      expect([5, 7]).toContain(arms.metrics[0]?.meanY);
    });

    test("an id of two users is billed once, and one or both users may have it", async () => {
      const orgId = randomUUID();
      const of = (userId: string) => storedEvent({ orgId, eventId: "e", userId, variant: "a" });
      await appendAtOnce([[of("one")], [of("two")]]);
      await appendAtOnce([[of("one")], [of("two")]]);
      expect(await stores[0].countReceived([orgId], monthOf(T0))).toEqual([1]);
      const [point] = await stores[1].traffic(wholeExperiment(orgId));
      expect([1, 2]).toContain(point?.users);
    });
  });
}
