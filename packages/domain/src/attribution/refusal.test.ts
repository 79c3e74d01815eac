import { describe, expect, test } from "vitest";
import { EVENT_SOURCES } from "../event/sources.ts";
import { createConfig } from "../experiment/make-config.ts";
import { DAY_MS } from "../time/day.ts";
import { BACK_DATED_DAYS, nearestOf, refusalOf } from "./refusal.ts";
import { compileTimeline } from "./timeline.ts";

const createdAt = Date.UTC(2026, 5, 1);
const timelineOf = (keys: readonly string[]) =>
  compileTimeline([
    {
      id: "exp",
      updatedAt: createdAt,
      bucketMap: [{ start: 0, end: 1, variant: keys[0]! }],
      config: createConfig({
        ...{ name: "exp", salt: "s", bucketCount: 1, metrics: [] },
        allocation: keys.map((variant) => ({ variant, weight: 1 })),
      }),
    },
  ]);
const timeline = timelineOf(["control", "Concise answers"]);
const row = { type: "exposure", user_id: "u", timestamp: createdAt };
const refuse = (change: object, source: (typeof EVENT_SOURCES)[number] = "secret") =>
  refusalOf({ ...row, ...change }, { timeline, createdAt, flagKey: null, source });

test.each([undefined, null, "", "control", "Concise answers"])("the variant %j is fine", (variant) => {
  expect(refuse({ variant })).toBeNull();
});

test.each([
  { variant: "Control", hint: ' Did you mean "control"?' },
  { variant: "contrl", hint: ' Did you mean "control"?' },
  { variant: "concise-answers", hint: ' Did you mean "Concise answers"?' },
  { variant: "treatment", hint: "" },
])("the unknown variant $variant is refused with the known ones", ({ variant, hint }) => {
  const detail = `variant must be one of "control", "Concise answers".${hint}`;
  for (const type of ["exposure", "model_call", "business_event"])
    expect(refuse({ type, variant })).toEqual({ reason: "unknown_variant", detail });
});

test("with a flag key, an exposure names the variant; other events may leave it out", () => {
  const context = { timeline, createdAt, flagKey: "tone", source: "secret" } as const;
  for (const variant of [undefined, null, ""])
    expect(refusalOf({ ...row, variant }, context)).toEqual({
      reason: "invalid",
      detail:
        'variant is missing: the flag "tone" assigns this experiment\'s variants, so an exposure must name the one that it returned.',
    });
  expect(refusalOf({ ...row, variant: "control" }, context)).toBeNull();
  expect(refusalOf({ ...row, type: "model_call" }, context)).toBeNull();
});

test.each(EVENT_SOURCES)("from %s, a sampling probability needs a secret", (source) => {
  const isPublic = source === "publishable";
  for (const type of ["exposure", "model_call", "business_event"]) {
    const refusal = refuse({ type, sampling_probability: 0.1 }, source);
    expect(refusal?.detail.startsWith("sampling_probability is accepted with a secret key")).toBe(
      isPublic ? true : undefined,
    );
    expect(refuse({ type, sampling_probability: null }, source)).toBeNull();
  }
});

test("if there are many variants, ten are listed", () => {
  const many = timelineOf(Array.from({ length: 12 }, (_, i) => `arm ${i}`));
  const refusal = refusalOf(
    { ...row, variant: "none of them" },
    { timeline: many, createdAt, flagKey: null, source: "secret" },
  );
  expect(refusal?.detail).toBe(
    `variant must be one of ${Array.from({ length: 10 }, (_, i) => `"arm ${i}"`).join(", ")} and 2 more.`,
  );
});

test.each(EVENT_SOURCES)("a test user by %s", (source) => {
  expect(refuse({ user_id: "svc-test-1" }, source) === null).toBe(source === "test");
  expect(refuse({ user_id: "my-svc-test-1" }, source)).toBeNull();
});

describe("an exposure long before the experiment", () => {
  const oldest = createdAt - BACK_DATED_DAYS * DAY_MS;

  test(`is of more than ${BACK_DATED_DAYS} days`, () => {
    expect(BACK_DATED_DAYS).toBe(30);
    expect(refuse({ timestamp: oldest })).toBeNull();
    expect(refuse({ timestamp: oldest - 1 })?.detail).toContain("/v1/events/import");
  });

  test("is accepted by import only, and other events by any route", () => {
    expect(refuse({ timestamp: oldest - 1 }, "import")).toBeNull();
    expect(refuse({ type: "business_event", timestamp: oldest - 1 })).toBeNull();
  });
});

describe("the nearest name", () => {
  test.each([
    ["purchse", "purchase"],
    ["PURCHASE", "purchase"],
    ["purchases!", "purchase"],
    ["prchs", null],
    ["ab", null],
    ["x".repeat(33), null],
  ])("to %s is %s", (written, nearest) => {
    expect(nearestOf(written, ["refund", "purchase", "b"])).toBe(nearest);
  });

  test("of a long name is the one that differs only in case", () => {
    expect(nearestOf("A".repeat(40), ["a".repeat(40), "a".repeat(39)])).toBe("a".repeat(40));
  });

  test("is the first of those that differ equally", () => {
    expect(nearestOf("arm-x", ["arm-a", "arm-b"])).toBe("arm-a");
  });
});
