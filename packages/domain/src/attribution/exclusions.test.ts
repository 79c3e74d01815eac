import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoredEvent } from "../event/event.ts";
import { NO_VALUES } from "../event/to-stored-event.ts";
import {
  checkExclusion,
  type ExclusionEntry,
  type ExclusionMatch,
  excludedBy,
  exclusionsInForce,
  isOfWholeUsers,
  lastExclusion,
  readSameEvents,
} from "./exclusions.ts";

const entry = { reason: "bots", actor: { id: "u1", name: "Ada", email: "ada@example.com" }, createdAt: 0 };
const exclusion = (number: number, match: ExclusionMatch = { variant: "a" }) =>
  ({ ...entry, number, match, lifts: null }) as const;
const lift = (number: number, lifts: number) => ({ ...entry, number, match: null, lifts }) as const;

describe("exclusions in force", () => {
  test.each<{ name: string; entries: readonly ExclusionEntry[]; upTo?: number; inForce: number[] }>([
    { name: "none without entries", entries: [], inForce: [] },
    { name: "each until it is lifted", entries: [exclusion(1), exclusion(2), lift(3, 1)], inForce: [2] },
    { name: "in any order of the entries", entries: [lift(3, 1), exclusion(2), exclusion(1)], inForce: [2] },
    {
      name: "as they were before a lift",
      entries: [exclusion(1), exclusion(2), lift(3, 1)],
      upTo: 2,
      inForce: [1, 2],
    },
    { name: "as they were before the second", entries: [exclusion(1), exclusion(2)], upTo: 1, inForce: [1] },
    { name: "none as of 0", entries: [exclusion(1)], upTo: 0, inForce: [] },
    {
      name: "one with the same match after a lift",
      entries: [exclusion(1), lift(2, 1), exclusion(3)],
      inForce: [3],
    },
  ])("$name", ({ entries, upTo, inForce }) => {
    expect(exclusionsInForce(entries, upTo).map(({ number }) => number)).toEqual(inForce);
  });

  test("as of a number are those in force when that was the newest entry", () => {
    const someEntries = fc
      .array(fc.option(fc.nat({ max: 20 }), { nil: null }), { maxLength: 20 })
      .map((lifts) =>
        lifts.map((target, i) => {
          const number = i + 1;
          return target === null || target === 0 || target >= number
            ? exclusion(number)
            : lift(number, target);
        }),
      );
    fc.assert(
      fc.property(someEntries, fc.nat({ max: 20 }), (entries, upTo) => {
        expect(exclusionsInForce(entries, upTo)).toEqual(exclusionsInForce(entries.slice(0, upTo)));
      }),
    );
  });

  test.each([
    { entries: [], last: 0 },
    { entries: [lift(3, 1), exclusion(2), exclusion(1)], last: 3 },
  ])("the newest of $entries.length entries is $last", ({ entries, last }) => {
    expect(lastExclusion(entries)).toBe(last);
  });
});

describe("a run", () => {
  const until = 1_000;
  const later = { from: until };
  test.each<{ name: string; entries: readonly ExclusionEntry[]; upTo: number; same: boolean }>([
    { name: "without entries", entries: [], upTo: 0, same: true },
    { name: "that applied them all", entries: [exclusion(1), lift(2, 1), exclusion(3)], upTo: 3, same: true },
    { name: "before an exclusion", entries: [exclusion(1)], upTo: 0, same: false },
    { name: "before one of later events", entries: [exclusion(1, later)], upTo: 0, same: true },
    { name: "before one that ends", entries: [exclusion(1, { to: 1 })], upTo: 0, same: false },
    {
      name: "before one of its last instant",
      entries: [exclusion(1, { from: until - 1 })],
      upTo: 0,
      same: false,
    },
    { name: "before a lift", entries: [exclusion(1), lift(2, 1)], upTo: 1, same: false },
    {
      name: "before a lift of later events",
      entries: [exclusion(1, later), lift(2, 1)],
      upTo: 1,
      same: true,
    },
    { name: "before an exclusion and its lift", entries: [exclusion(1), lift(2, 1)], upTo: 0, same: true },
    {
      name: "before two, one of earlier events",
      entries: [exclusion(1, later), exclusion(2)],
      upTo: 0,
      same: false,
    },
  ])("$name reads the same events again: $same", ({ entries, upTo, same }) => {
    expect(readSameEvents(entries, { upTo, until })).toBe(same);
  });
});

test.each<{ match: ExclusionMatch; isWhole: boolean }>([
  { match: { userIds: ["a"] }, isWhole: true },
  { match: { userIds: ["a"], variant: undefined }, isWhole: true },
  { match: { userIds: ["a"], variant: "b" }, isWhole: false },
  { match: { userIds: ["a"], from: 0 }, isWhole: false },
  { match: { variant: "b" }, isWhole: false },
])("$match takes out all events of its users or none: $isWhole", ({ match, isWhole }) => {
  expect(isOfWholeUsers(match)).toBe(isWhole);
});

describe("a new exclusion", () => {
  const check = (match: ExclusionMatch, inForce: readonly ExclusionMatch[] = []) =>
    checkExclusion(match, {
      variants: new Set(["a", "b"]),
      inForce: inForce.map((other) => ({ match: other })),
    });
  const ids = (count: number, length: number) =>
    Array.from({ length: count }, (_, i) => String(i).padStart(length, "x"));

  test.each<{ name: string; match: ExclusionMatch; inForce?: readonly ExclusionMatch[] }>([
    { name: "a known variant", match: { variant: "b" } },
    { name: "a range of one millisecond", match: { from: 1, to: 2 } },
    { name: "an open range", match: { from: 1 } },
    { name: "the last one allowed", match: { to: 1 }, inForce: Array(99).fill({ to: 1 }) },
    {
      name: "the maximum number of characters of ids",
      match: { userIds: ids(1_000, 250), eventIds: ids(1_000, 128) },
      inForce: [{ eventIds: ids(1_000, 122) }],
    },
  ])("may match $name", ({ match, inForce }) => {
    expect(check(match, inForce)).toEqual([]);
  });

  test.each<{ name: string; match: ExclusionMatch; inForce?: readonly ExclusionMatch[]; pointers: string[] }>(
    [
      { name: "everything", match: {}, pointers: ["/match"] },
      {
        name: "no id",
        match: { userIds: [], eventIds: [] },
        pointers: ["/match/user_ids", "/match/event_ids"],
      },
      { name: "an unknown variant", match: { variant: "A" }, pointers: ["/match/variant"] },
      { name: "an empty range", match: { from: 2, to: 2 }, pointers: ["/match/to"] },
      {
        name: "an invalid time",
        match: { from: Number.NaN, to: Number.NaN },
        pointers: ["/match/from", "/match/to"],
      },
      {
        name: "one more than allowed",
        match: { to: 1 },
        inForce: Array(100).fill({ to: 1 }),
        pointers: [""],
      },
      {
        name: "more characters of ids than allowed",
        match: { userIds: ids(1_000, 250), eventIds: ids(1_000, 128) },
        inForce: [{ eventIds: ids(999, 122) }, { userIds: ids(1, 123) }],
        pointers: ["/match"],
      },
    ],
  )("may not match $name", ({ match, inForce, pointers }) => {
    const faults = check(match, inForce);
    expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test("with an unknown variant lists the known ones", () => {
    expect(check({ variant: "A" })).toEqual([{ pointer: "/match/variant", detail: "must be one of a, b." }]);
  });
});

describe("an event is excluded", () => {
  const event: StoredEvent = {
    ...{ orgId: "o", eventId: "e1", type: "business_event", experimentId: "e", userId: "ann" },
    ...{ occurredAt: 5, receivedAt: 9, ...NO_VALUES, source: "secret", keyPrefix: "svc_sk_1" },
    ...{ client: "assay-java/1.0.0", variant: "a", businessMetric: "revenue" },
  };
  const parts: readonly (readonly [ExclusionMatch, ExclusionMatch])[] = [
    [{ userIds: ["bob", "ann"] }, { userIds: ["bob"] }],
    [{ eventIds: ["e1"] }, { eventIds: [] }],
    [{ source: "secret" }, { source: "publishable" }],
    [{ keyPrefix: "svc_sk_1" }, { keyPrefix: "svc_sk_2" }],
    [{ client: "assay-java/1.0.0" }, { client: "assay-java/1.0.1" }],
    [{ variant: "a" }, { variant: "b" }],
    [{ businessMetric: "revenue" }, { businessMetric: "other" }],
    [{ from: 5 }, { from: 6 }],
    [{ to: 6 }, { to: 5 }],
  ];
  test.each(parts)("by a match with %j and not by one with %j", (fits, fitsNot) => {
    expect(excludedBy([fits])(event)).toBe(true);
    expect(excludedBy([fitsNot])(event)).toBe(false);
    expect(excludedBy([fitsNot, fits])(event)).toBe(true);
    expect(excludedBy([{ ...fits, userIds: ["ann"] }, { userIds: ["bob"] }])(event)).toBe(true);
    expect(
      excludedBy([
        { ...fits, ...fitsNot },
        { ...fits, userIds: ["bob"] },
      ])(event),
    ).toBe(false);
  });

  test("by none without matches", () => {
    expect(excludedBy([])(event)).toBe(false);
  });
});
