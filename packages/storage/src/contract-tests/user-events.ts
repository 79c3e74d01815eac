import { randomUUID } from "node:crypto";
import {
  DAY_MS,
  type Erasure,
  EVENT_TYPES,
  type EventStore,
  monthOf,
  type StoredEvent,
  type UserEvent,
  VALUE_FIELDS,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { HOSTILE } from "./hostile.ts";
import { shareOf } from "./share.ts";
import { LONG_AGO, storedEvent, T0, wholeEvent, wholeExperiment } from "./stored-event.ts";

const ANN = "ann/🙂";

/** Tests the list of everything stored about a user, page by page, and what an erasure leaves. */
export function describeUserEvents(storeOf: () => EventStore, share = 1): void {
  async function listAll(orgId: string, userId: string, limit = 100): Promise<readonly UserEvent[]> {
    const items: UserEvent[] = [];
    let cursor: string | null = null;
    do {
      const query = { orgId, userId, limit, ...(cursor !== null && { cursor }) };
      const page: Awaited<ReturnType<EventStore["listUserEvents"]>> = await storeOf().listUserEvents(query);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return items;
  }
  const idsOf = async (orgId: string, userId: string) =>
    (await listAll(orgId, userId)).map(({ eventId }) => eventId);

  describe("a user's events", () => {
    describeListing(storeOf, { listAll, share });
    describeErasure(storeOf, idsOf);
  });
}

const raw = (event: StoredEvent): UserEvent => ({ ...event, isRaw: true });

/** What remains of an event after retention has removed the raw one. */
const analyzed = (event: StoredEvent): UserEvent => {
  const lost = VALUE_FIELDS.filter(({ isAnalyzed }) => !isAnalyzed).map(({ property }) => [property, null]);
  return { ...event, ...Object.fromEntries(lost), isRaw: false };
};

const inOrder = (events: readonly StoredEvent[]) => {
  const place = ({ experimentId, eventId }: StoredEvent) => `${experimentId} ${eventId}`;
  return [...events].sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

type ListAll = (orgId: string, userId: string, limit?: number) => Promise<readonly UserEvent[]>;

function describeListing(
  storeOf: () => EventStore,
  { listAll, share }: { readonly listAll: ListAll; readonly share: number },
): void {
  test("are listed over all experiments as they were sent, without those of other users", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const events = EVENT_TYPES.flatMap((type) =>
      ["exp", "exp-2"].map((experimentId) => wholeEvent(type, { orgId, userId: ANN, experimentId })),
    );
    const others = [
      storedEvent({ orgId, userId: `${ANN} ` }),
      storedEvent({ orgId, userId: "bob" }),
      storedEvent({ orgId: other, userId: ANN }),
    ];
    await storeOf().append([...events, ...others]);
    expect(await listAll(orgId, ANN)).toEqual(inOrder(events).map(raw));
    expect(await listAll(orgId, "nobody")).toEqual([]);
    expect(await listAll(other, ANN)).toEqual([raw(others[2] as StoredEvent)]);
  });

  test("are read page by page, each exactly once", async () => {
    const orgId = randomUUID();
    const events = Array.from({ length: 23 }, (_, i) =>
      storedEvent({
        ...{ orgId, userId: ANN, eventId: `${i}🙂`, experimentId: `exp-${i % 3}` },
        ...{ type: "model_call", prompt: `p${i}`, costUsd: i % 2 === 0 ? 0.1 + 0.2 : null },
      }),
    );
    await storeOf().append(events);
    for (const limit of shareOf([22, 23, 7, 24, 1], share))
      expect(await listAll(orgId, ANN, limit)).toEqual(inOrder(events).map(raw));
  });

  test("remain without their texts after their raw events are removed", async () => {
    const orgId = randomUUID();
    const events = EVENT_TYPES.map((type) => wholeEvent(type, { orgId, userId: ANN, receivedAt: LONG_AGO }));
    const later = wholeEvent("model_call", { orgId, userId: ANN });
    await storeOf().append([...events, later]);
    await storeOf().sweepRaw([{ orgIds: [orgId], receivedBefore: LONG_AGO + 1 }]);
    const expected = [...events.map(analyzed), raw(later)];
    expect(await listAll(orgId, ANN, 2)).toEqual(inOrder(expected));
  });

  test("are found under any id", async () => {
    const orgId = randomUUID();
    const ids = shareOf([...HOSTILE, "a/b?c#d%2F", "🙂".repeat(256)], share);
    const events = ids.map((userId) => storedEvent({ orgId, userId, variant: "a" }));
    await storeOf().append(events);
    for (const event of events) expect(await listAll(orgId, event.userId)).toEqual([raw(event)]);
    const isErased = (_: unknown, i: number) => i % 2 === 0;
    await storeOf().eraseUsers(
      ids.filter(isErased).map((userId) => ({ orgId, userId, requestedAt: T0 + DAY_MS })),
    );
    const left = await Promise.all(ids.map(async (userId) => (await listAll(orgId, userId)).length));
    expect(left).toEqual(ids.map((id, i) => (isErased(id, i) ? 0 : 1)));
  });

  test("accept cursors of this list only", async () => {
    const ask = (position: unknown) => {
      const cursor = Buffer.from(JSON.stringify(position)).toString("base64url");
      return storeOf().listUserEvents({ orgId: "org", userId: ANN, limit: 1, cursor });
    };
    for (const position of [null, [], ["exp"], ["exp", 1], ["exp", "id", "more"]])
      await expect(ask(position), JSON.stringify(position)).rejects.toMatchObject({ kind: "invalid-query" });
  });
}

function describeErasure(
  storeOf: () => EventStore,
  idsOf: (orgId: string, userId: string) => Promise<readonly string[]>,
): void {
  const requestOf = (orgId: string, fields: Partial<Erasure> = {}): Erasure => ({
    ...{ orgId, userId: ANN, requestedAt: T0 + 2_000 },
    ...fields,
  });

  test("are erased up to the request, from both logs, only for that user of that org", async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const event = (eventId: string, fields: Partial<StoredEvent> = {}) =>
      storedEvent({ ...{ orgId, userId: ANN, eventId, variant: "a" }, ...fields });
    await storeOf().append([
      event("first", { receivedAt: LONG_AGO }),
      event("other experiment", { experimentId: "exp-2" }),
      event("at the instant", { receivedAt: T0 + 2_000, type: "model_call", prompt: "secret" }),
      event("after it", { receivedAt: T0 + 2_001 }),
      event("bob's", { userId: "bob" }),
      event("first", { orgId: other }),
    ]);
    const received = await storeOf().countReceived([orgId], monthOf(T0));
    expect(await storeOf().eraseUsers([requestOf(orgId)])).toBe(2 * 3);
    expect(await idsOf(orgId, ANN)).toEqual(["after it"]);
    expect([await idsOf(orgId, "bob"), await idsOf(other, ANN)]).toEqual([["bob's"], ["first"]]);
    expect(await storeOf().traffic(wholeExperiment(orgId))).toMatchObject([{ exposures: 2, users: 2 }]);
    expect(await storeOf().countReceived([orgId], monthOf(T0))).toEqual(received);
    expect(await storeOf().eraseUsers([requestOf(orgId)])).toBe(0);
  });

  test("do not come back with a redelivery, while new ones are stored", async () => {
    const orgId = randomUUID();
    const event = storedEvent({ orgId, userId: ANN, eventId: "old" });
    await storeOf().append([event]);
    await storeOf().eraseUsers([requestOf(orgId)]);
    const fresh = { ...event, eventId: "new", receivedAt: T0 + DAY_MS };
    await storeOf().append([event, { ...event, receivedAt: T0 + DAY_MS }, fresh]);
    expect(await idsOf(orgId, ANN)).toEqual(["new"]);
  });

  test("are also erased in removed experiments, where they are already hidden", async () => {
    const orgId = randomUUID();
    const users = [ANN, "bob"];
    await storeOf().append(users.map((userId) => storedEvent({ orgId, userId, variant: "a" })));
    await storeOf().removeExperiment(orgId, "exp");
    expect(await idsOf(orgId, ANN)).toEqual([]);
    expect(await storeOf().eraseUsers([requestOf(orgId)])).toBeGreaterThan(0);
    // The raw log hides the experiment's rows with a delay. Rows that are hidden by then are removed by the next erasure.
    await expect.poll(() => storeOf().eraseUsers([requestOf(orgId)])).toBe(0);
    expect(await idsOf(orgId, "bob")).toEqual([]);
  });

  test("of many users are erased together, each up to its own request", async () => {
    const orgId = randomUUID();
    const users = Array.from({ length: 60 }, (_, i) => `u${i}`);
    const at = (i: number) => T0 + i * 1_000;
    const events = users.flatMap((userId, i) =>
      [0, 1].map((later) =>
        storedEvent({ orgId, userId, eventId: `${userId} ${later}`, receivedAt: at(i) + later }),
      ),
    );
    await storeOf().append(events);
    const requests = users.slice(1).map((userId, i) => requestOf(orgId, { userId, requestedAt: at(i + 1) }));
    expect(await storeOf().eraseUsers(requests)).toBe(2 * 59);
    const left = await Promise.all(["u0", "u1", "u59"].map((userId) => idsOf(orgId, userId)));
    expect(left).toEqual([["u0 0", "u0 1"], ["u1 1"], ["u59 1"]]);
    expect(await storeOf().eraseUsers([])).toBe(0);
  });
}
