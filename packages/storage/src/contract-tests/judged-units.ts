import { DAY_MS, type EventStore, type JudgeableQuery } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { appendTo, callOf, exposureOf, HOUR_MS, MIDNIGHT } from "./judgeable-events.ts";
import { T0, wholeExperiment } from "./stored-event.ts";

/** Tests what judging reads about units that are not users. */
export function describeJudgedUnits(storeOf: () => EventStore): void {
  describe("judged units", () => {
    draws(storeOf);
    exposures(storeOf);
    transcripts(storeOf);
  });
}

const exposed = (unitId: string, variant = "a", userId = "ann") => exposureOf({ unitId, variant, userId });
const said = (unitId: string, eventId: string, minute: number, more: Parameters<typeof callOf>[0] = {}) =>
  callOf({ unitId, eventId, userId: "ann", variant: null, occurredAt: T0 + 60_000 * minute, ...more });

const queryOf = (orgId: string): JudgeableQuery => ({
  ...{ ...wholeExperiment(orgId), unit: "conversation" },
  ...{ from: MIDNIGHT, until: MIDNIGHT + DAY_MS, salt: "quality:1" },
});

function draws(storeOf: () => EventStore): void {
  test("the last call of each unit stands for it, and a user's units of an arm share their ranks", async () => {
    const { orgId } = await appendTo(storeOf(), [
      exposed("c1"),
      exposed("c2"),
      exposed("c3", "b"),
      exposed("mixed"),
      exposed("mixed", "b"),
      exposed("d1", "a", "bob"),
      said("c1", "c1-first", 1),
      said("c1", "c1-last", 3),
      said("c1", "c1-early", 2),
      said("c1", "another variant's", 4, { variant: "b" }),
      said("c1", "the next day's", 0, { occurredAt: MIDNIGHT + DAY_MS }),
      said("c2", "c2-failed", 1, { error: true, response: null }),
      said("c3", "c3-last", 1),
      said("mixed", "m1", 1),
      said("d1", "d1-last", 1, { userId: "bob" }),
      callOf({ userId: "ann", eventId: "without a unit" }),
    ]);
    const counts = await storeOf().countJudgeable(queryOf(orgId));
    expect(counts).toEqual([
      { arm: "a", rank: 1, calls: 2 },
      { arm: "a", rank: 2, calls: 1 },
      { arm: "b", rank: 1, calls: 1 },
    ]);
    const drawn = await storeOf().drawJudgeable(queryOf(orgId), { a: [2, 1], b: [1] });
    expect(await storeOf().drawAllJudgeable(queryOf(orgId))).toEqual({ counts, calls: drawn });
    const byId = (one: { readonly eventId: string }, other: { readonly eventId: string }) =>
      one.eventId < other.eventId ? -1 : 1;
    expect(
      [...drawn]
        .sort(byId)
        .map(({ eventId, userId, unitId, arm, callsOfUser, hasFailed }) => [
          ...[eventId, userId, unitId, arm, callsOfUser, hasFailed],
        ]),
    ).toEqual([
      ["c1-last", "ann", "c1", "a", 2, false],
      ["c2-failed", "ann", "c2", "a", 2, false],
      ["c3-last", "ann", "c3", "b", 1, false],
      ["d1-last", "bob", "d1", "a", 1, false],
    ]);
    expect(await storeOf().drawJudgeable(queryOf(orgId), { a: [1] })).toHaveLength(1);
  });
}

function exposures(storeOf: () => EventStore): void {
  test("have first exposures of their own, with the user as the cluster", async () => {
    const { orgId } = await appendTo(storeOf(), [
      exposed("c1"),
      exposed("c2", "b"),
      exposed("d1", "a", "bob"),
      exposureOf({ userId: "ann", variant: "b" }),
    ]);
    const found = await storeOf().loadFirstExposures({
      ...{ ...wholeExperiment(orgId), unit: "run", until: T0 + DAY_MS },
      ...{ periodStarts: [], userIds: ["c1", "c2", "d1", "ann", "unknown"] },
    });
    const byUnit = Object.fromEntries(found.map((one) => [one.userId, one]));
    expect(Object.keys(byUnit).sort()).toEqual(["c1", "c2", "d1"]);
    expect(found.map(({ isContaminated }) => isContaminated)).toEqual([false, false, false]);
    expect([byUnit.c1?.arm, byUnit.c2?.arm]).toEqual(["a", "b"]);
    expect(byUnit.c1?.cluster).toBe(byUnit.c2?.cluster);
    expect(byUnit.d1?.cluster).not.toBe(byUnit.c1?.cluster);
  });
}

function transcripts(storeOf: () => EventStore): void {
  const query = (orgId: string, units: readonly (readonly [string, string, number])[]) => ({
    ...{ orgId, experimentId: "exp", unit: "conversation" as const },
    units: units.map(([unitId, eventId, minute]) => ({ unitId, eventId, occurredAt: T0 + 60_000 * minute })),
  });

  test("are read up to a call, oldest first", async () => {
    const { orgId, stored } = await appendTo(storeOf(), [
      exposed("c1"),
      said("c1", "2", 2, { prompt: "Help", response: "Sure" }),
      said("c1", "1", 1, { prompt: "Hi", response: "Hello" }),
      said("c1", "2a", 2, {
        ...{ type: "tool_call", toolName: "search", toolArguments: "it", toolResult: "3 hits" },
        ...{ prompt: null, response: null },
      }),
      said("c1", "3", 3, { prompt: "Bye", response: null, error: true }),
      said("c2", "4", 1, { prompt: "Else", response: "Well" }),
    ]);
    await storeOf().append(stored); // Redelivered.
    const found = await storeOf().loadTranscripts(
      query(orgId, [
        ["c1", "2", 2],
        ["c1", "3", 3],
        ["c2", "4", 1],
        ["c3", "5", 1],
      ]),
    );
    const [hello, sure] = [
      { prompt: "Hi", response: "Hello", hasFailed: false, tool: null },
      { prompt: "Help", response: "Sure", hasFailed: false, tool: null },
    ];
    const searched = { prompt: "it", response: "3 hits", hasFailed: false, tool: "search" };
    const bye = { prompt: "Bye", response: null, hasFailed: true, tool: null };
    expect(Object.fromEntries(found)).toEqual({
      2: { events: [hello, sure], isCut: false },
      3: { events: [hello, sure, searched, bye], isCut: false },
      4: { events: [{ prompt: "Else", response: "Well", hasFailed: false, tool: null }], isCut: false },
    });
    expect(await storeOf().loadTranscripts(query("another org", [["c1", "2", 2]]))).toEqual(new Map());
  });

  test("of units that are too long have the newest calls, and say so", async () => {
    const long = "x".repeat(100_000);
    const { orgId } = await appendTo(storeOf(), [
      ...Array.from({ length: 4 }, (_, call) =>
        said("big", `big-${call}`, call, { response: `${call}${long}` }),
      ),
      ...Array.from({ length: 120 }, (_, call) =>
        said("many", `many-${call}`, call, { occurredAt: T0 + call * 1_000, response: String(call) }),
      ),
      said("huge", "huge", 0, { response: long.repeat(2), prompt: long }),
    ]);
    const found = await storeOf().loadTranscripts(
      query(orgId, [
        ["big", "big-3", 3],
        ["many", "many-119", 119],
        ["huge", "huge", 0],
      ]),
    );
    const shown = (id: string) => ({
      calls: found.get(id)?.events.map(({ response }) => response?.slice(0, 3)),
      isCut: found.get(id)?.isCut,
    });
    expect(shown("big-3")).toEqual({ calls: ["2xx", "3xx"], isCut: true });
    expect(shown("many-119")).toEqual({
      calls: Array.from({ length: 100 }, (_, call) => String(call + 20)),
      isCut: true,
    });
    expect(shown("huge")).toEqual({ calls: ["xxx"], isCut: false });
  });

  test("of a hundred units are read together", async () => {
    const units = Array.from({ length: 100 }, (_, unit) => `u${unit}`);
    const { orgId } = await appendTo(
      storeOf(),
      units.map((unit) => said(unit, `${unit}-call`, 0, { occurredAt: T0 + HOUR_MS, response: unit })),
    );
    const found = await storeOf().loadTranscripts(
      query(
        orgId,
        units.map((unit) => [unit, `${unit}-call`, 60]),
      ),
    );
    expect(found.size).toBe(100);
    expect(found.get("u99-call")?.events[0]?.response).toBe("u99");
  });
}
