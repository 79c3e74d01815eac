import { randomUUID } from "node:crypto";
import type { EventStore, RawEventFilter, RawEventQuery, StoredEvent } from "@assay/domain";
import { expect, test } from "vitest";
import { shareOf } from "./share.ts";
import { storedEvent, T0 } from "./stored-event.ts";

/** Other fields of metadata make no thread, nor does a number. */
const TALK = '{"conversation_id":"t","trace_id":7,"other":{"trace_id":"x"}}';

type Ask = Partial<RawEventQuery> & { readonly orgId: string };
type IdsOf = (ask: Ask) => Promise<readonly string[]>;

/** Tests the filters of the list of raw events. */
export function describeRawEventFilters(
  storeOf: () => EventStore,
  { idsOf, share }: { readonly idsOf: IdsOf; readonly share: number },
): void {
  describeFields(storeOf, { idsOf, share });
  describeArms(storeOf, idsOf);
  describeSenders(storeOf, idsOf);
}

function describeFields(
  storeOf: () => EventStore,
  { idsOf, share }: { readonly idsOf: IdsOf; readonly share: number },
): void {
  test("are filtered by type, user, text and other fields", async () => {
    const orgId = randomUUID();
    const call = { orgId, type: "model_call", error: false, model: "m", variant: "a" } as const;
    await storeOf().append([
      storedEvent({ ...call, eventId: "5", prompt: "Grüße an ADA", response: "100% of it_" }),
      storedEvent({
        ...call,
        eventId: "4",
        userId: "bob",
        error: true,
        model: "n",
        metadata: '{"trace_id":"t"}',
      }),
      storedEvent({
        ...call,
        eventId: "3",
        userId: "carol",
        variant: null,
        prompt: "Hi",
        response: "I am Ada",
        metadata: TALK,
      }),
      storedEvent({ orgId, eventId: "2", variant: "a", unitId: "c1", runId: "r1" }),
      storedEvent({ orgId, eventId: "1", type: "business_event", businessMetric: "ada", userId: "bob" }),
    ]);
    const cases: readonly [RawEventFilter, string][] = [
      [{}, "54321"],
      [{ type: "model_call" }, "543"],
      [{ type: "business_event" }, "1"],
      [{ variant: "a" }, "542"],
      [{ variant: "A" }, ""],
      [{ userId: "bob" }, "41"],
      [{ userId: "bo" }, ""],
      [{ model: "m" }, "53"],
      [{ error: true }, "4"],
      [{ error: false }, "53"],
      [{ thread: "t" }, "43"],
      [{ thread: "T" }, ""],
      [{ thread: "c1" }, "2"],
      [{ thread: "r1", type: "exposure" }, "2"],
      [{ thread: "t", userId: "bob" }, "4"],
      [{ text: "ada" }, "53"],
      [{ text: "GRÜSSE" }, ""],
      [{ text: "grÜße" }, "5"],
      [{ text: "0% of" }, "5"],
      [{ text: "%" }, "5"],
      [{ text: "_" }, "5"],
      [{ text: "Hii" }, ""],
      [{ text: "ada", variant: "a", model: "m", error: false, userId: "user", type: "model_call" }, "5"],
      [{ text: "ada", model: "n" }, ""],
    ];
    for (const [filter, ids] of shareOf(cases, share))
      expect({ filter, ids: (await idsOf({ orgId, filter })).join("") }).toEqual({ filter, ids });
  });
}

function describeArms(storeOf: () => EventStore, idsOf: IdsOf): void {
  test("that name no variant are filtered by the arm of the first exposure, from then on", async () => {
    const orgId = randomUUID();
    const sees = (userId: string, variant: string) => ({ userId, variant, unitId: `of ${userId}` });
    const calls = (userId: string) =>
      ({ type: "model_call", userId, unitId: `of ${userId}`, variant: null }) as const;
    const events: readonly Partial<StoredEvent>[] = [
      calls("u"),
      sees("u", "b"),
      calls("u"),
      sees("v", "a"),
      sees("v", "b"),
      calls("v"),
      { ...sees("w", ""), variant: null },
      { ...calls("w"), variant: "b" },
      { ...sees("x", "b"), unitId: null },
      { ...calls("x"), unitId: null },
    ];
    await storeOf().append(
      events.map((event, at) =>
        storedEvent({ orgId, eventId: `${at}`, type: "exposure", ...event, occurredAt: T0 + at }),
      ),
    );
    const of = async (variant: string, ask: Partial<Ask> = {}) =>
      (await idsOf({ orgId, filter: { variant }, ...ask })).join("");
    expect(await of("b")).toBe("987421");
    expect(await of("a")).toBe("3");
    expect(await of("b", { exclusions: [{ variant: "a" }] })).toBe("9875421");
    expect(await of("b", { unit: "conversation" })).toBe("87421");
  });
}

function describeSenders(storeOf: () => EventStore, idsOf: IdsOf): void {
  test("are filtered by how they came, by key and by client library", async () => {
    const orgId = randomUUID();
    const python = { client: "assay-python/0.1.0", keyPrefix: "svc_sk_abcde" };
    await storeOf().append([
      storedEvent({ orgId, eventId: "4", source: "secret", ...python }),
      storedEvent({ orgId, eventId: "3", source: "publishable", keyPrefix: "svc_pk_abcde" }),
      storedEvent({ orgId, eventId: "2", source: "import", ...python, client: null }),
      storedEvent({ orgId, eventId: "1" }),
    ]);
    const cases: readonly [RawEventFilter, string][] = [
      [{ source: "secret" }, "4"],
      [{ source: "signed" }, ""],
      [{ keyPrefix: "svc_sk_abcde" }, "42"],
      [{ keyPrefix: "svc_sk_" }, ""],
      [{ client: "assay-python/0.1.0" }, "4"],
      [{ source: "import", keyPrefix: "svc_sk_abcde" }, "2"],
      [{ source: "import", client: "assay-python/0.1.0" }, ""],
    ];
    for (const [filter, ids] of cases)
      expect({ filter, ids: (await idsOf({ orgId, filter })).join("") }).toEqual({ filter, ids });
  });
}
