import { DAY_MS, type EventStore, monthOf, type StoredEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { eventStoreOn } from "../events/clickhouse-event-store.ts";
import type { EngineClient } from "../events/engine/engine-client.ts";
import { type EventEngine, findPlacement, placedEngine } from "../events/engine/event-engine.ts";
import { clusterSteps, clusterVersionTable } from "../events/schema/cluster-schema.ts";
import { findIdPlace } from "../events/schema/id-tables.ts";
import { ONE_NODE_VERSION_TABLE } from "../events/schema/migrate-schema.ts";
import { SCHEMA_STEPS } from "../events/schema/schema.ts";
import { applyChanges } from "../events/schema/statements.ts";
import { appender } from "../events/write/append.ts";
import { BOTH_MS, copyIds } from "../events/write/copy-ids.ts";
import type { OpenedStore } from "./added-columns.ts";
import { storedEvent } from "./stored-event.ts";

const LAST_STEP = 6;
/** Ids of a chunk: a few hours of the events below. */
const CHUNK = 40;
const ORGS = ["org", "other"];

/** The copy uses the real clock. */
const NOW = Date.now();

/** Events from four months in no order, from both classes of senders, with ids of all kinds. Many ids occur in two orgs. */
export const BEFORE = Array.from({ length: 400 }, (_, i): StoredEvent => {
  // At most 100 days, including days reached by the hours before midnight: an insert allows no more partitions.
  const receivedAt = NOW - ((i * 37) % 99) * DAY_MS - (i % 7) * 3_600_000;
  const eventId = i % 3 === 0 ? `order-${i}` : `019a21cc-1bf5-74f8-9813-${String(i).padStart(12, "0")}`;
  return storedEvent({
    ...{ orgId: ORGS[i % 5 === 0 ? 1 : 0]!, eventId, receivedAt, occurredAt: receivedAt },
    source: i % 4 === 0 ? "publishable" : "secret",
  });
});
const MONTHS = [...new Set(BEFORE.map(({ receivedAt }) => monthOf(receivedAt)))];
const fresh = (eventId: string) =>
  storedEvent({ eventId, occurredAt: NOW, receivedAt: NOW, source: "secret" });

/** Makes the tables of the version before step 7, and stores the events in them. */
export async function storeOfBefore({ engine, cluster }: OpenedStore): Promise<EventEngine> {
  await applyChanges(engine, cluster === null ? ONE_NODE_VERSION_TABLE : clusterVersionTable(cluster));
  const placed = placedEngine(engine, await findPlacement(engine));
  const steps = cluster === null ? SCHEMA_STEPS : clusterSteps(cluster);
  for (const changes of steps.slice(0, LAST_STEP)) await applyChanges(engine, changes);
  await placed.insert("schema_version", ["version"], [`[${LAST_STEP}]\n`]);
  await appendAsBefore(placed, BEFORE);
  return placed;
}

/** Appends as a process of that version does. */
const appendAsBefore = (engine: EngineClient, events: readonly StoredEvent[]) =>
  appender(async () => ({ engine, place: "event_ids" }))(events);

/** Expects that equal ids have one row: on a cluster they must be on one shard. */
async function expectOneRowEach(engine: EngineClient): Promise<void> {
  const [found] = await engine.rows<[rows: number, ids: number]>(
    "SELECT count(), uniqExact(id, org_id, is_public) FROM stored_ids FINAL",
    {},
  );
  expect(found?.[0]).toBe(found?.[1]);
}

/** Returns answers that must be the same at every stage of the copy. */
export async function answersOf(store: EventStore) {
  const repeated = await store.append(BEFORE);
  const counts = [];
  let total = 0;
  for (const orgId of ORGS) {
    const range = { from: NOW - 200 * DAY_MS, until: NOW };
    for (const month of MONTHS) {
      const [count = 0] = await store.countReceived([orgId], month);
      counts.push([orgId, month, count]);
      total += count;
    }
    counts.push([...(await store.countPublicByDay(orgId, range))]);
  }
  return { repeated, counts, total };
}

/**
 * Tests, for every engine, the upgrade of a store that had the ids of its events as text. `open` returns an empty database.
 */
export function copiedIdsContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} with ids as text`, () => {
    test("knows and counts each of them before, during and after their copy, which stops anywhere", async () => {
      const { engine, cluster } = await open();
      const placed = await storeOfBefore({ engine, cluster });
      const store = eventStoreOn(engine, cluster);
      await store.migrate();
      await store.migrate();
      const expected = await answersOf(store);
      expect(expected.repeated).toEqual([]);
      expect(expected.total).toBe(BEFORE.length);
      const places: string[] = [];
      let chunks = 0;
      for (; places.at(-1) !== "stored_ids"; chunks++) {
        // Every other piece is interrupted after its rows are stored.
        const cut = chunks % 2 === 0 ? cutAtNote(placed) : placed;
        const now = places.at(-1) === "both" ? NOW + BOTH_MS : NOW;
        await copyIds(cut, now, CHUNK).catch((error: unknown) => expect(error).toEqual(CUT));
        places.push(await findIdPlace(placed));
        if (chunks % 5 === 0) expect(await answersOf(store)).toEqual(expected);
      }
      expect([...new Set(places)]).toEqual(["event_ids", "both", "stored_ids"]);
      expect(chunks).toBeGreaterThan(20);
      expect(await answersOf(store)).toEqual(expected);
      await expectOneRowEach(placed);
      const later = eventStoreOn(engine, cluster);
      await later.migrate();
      expect(await answersOf(later)).toEqual(expected);
      await store.close();
    });

    test("loses nothing of processes of both versions that store side by side, until the earlier one is refused", async () => {
      const { engine, cluster } = await open();
      const placed = await storeOfBefore({ engine, cluster });
      const store = eventStoreOn(engine, cluster);
      await store.migrate();
      const stored: StoredEvent[] = [];
      const bothStore = async (stage: string) => {
        const [mine, theirs] = [fresh(`${stage} mine`), fresh(`${stage} theirs`)];
        expect(await store.append([mine])).toEqual([mine]);
        expect(await appendAsBefore(placed, [theirs])).toEqual([theirs]);
        stored.push(mine, theirs);
        expect(await appendAsBefore(placed, stored)).toEqual([]);
        expect(await store.append(stored)).toEqual([]);
        expect(await store.countReceived(["org"], monthOf(NOW))).toEqual([base + stored.length]);
      };
      const [base = 0] = await store.countReceived(["org"], monthOf(NOW));
      const copy = async (now: number) => {
        while (await copyIds(placed, now, CHUNK));
        return findIdPlace(placed);
      };
      await bothStore("before the copy");
      expect(await copy(NOW)).toBe("both");
      await bothStore("after the copy");
      // A process was killed after it wrote to the table and before the view did.
      const cutOff = fresh("in the table only");
      await appendAsBefore(withoutView(placed, cluster), [cutOff]);
      expect(await copy(NOW + BOTH_MS - 1)).toBe("both");
      await bothStore("a day later");
      expect(await copy(NOW + BOTH_MS)).toBe("stored_ids");
      const refused = { kind: "storage-unavailable" };
      await expect(appendAsBefore(placed, [fresh("late")])).rejects.toMatchObject(refused);
      expect(await store.append([...stored, cutOff])).toEqual([]);
      expect(await store.countReceived(["org"], monthOf(NOW))).toEqual([base + stored.length + 1]);
      await expectOneRowEach(placed);
      await store.close();
    });
  });
}

const CUT = new Error("cut off");

/** An engine that stops after the rows of a piece are stored and before the piece is recorded as copied. */
const cutAtNote = (engine: EventEngine): EventEngine => ({ ...engine, insert: () => Promise.reject(CUT) });

/** An engine that inserts ids without filling the view's table. */
function withoutView(engine: EventEngine, cluster: string | null): EngineClient {
  return {
    ...engine,
    async insert(table, columns, lines) {
      if (table !== "event_ids") return engine.insert(table, columns, lines);
      const on = cluster === null ? "" : ` ON CLUSTER \`${cluster}\``;
      const view = `TABLE event_ids_to_stored_ids${on}`;
      await engine.command(`DETACH ${view}`);
      await engine.insert(table, columns, lines);
      await engine.command(`ATTACH ${view}`);
    },
  };
}
