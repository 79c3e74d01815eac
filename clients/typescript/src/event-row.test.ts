import { describe, expect, test } from "vitest";
import { toEventRow } from "./event-row.ts";

const DEFAULTS = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), newId: () => "made-here" };
const BASE = { experiment_id: "greeting", user_id: "u" };
const row = (payload: unknown, type: unknown = "business_event") =>
  JSON.parse(toEventRow(type, payload, DEFAULTS).row);

test("a row has the type, a new id and the current time", () => {
  expect(row({ ...BASE, business_metric: "sale", value: 3 })).toEqual({
    ...BASE,
    business_metric: "sale",
    value: 3,
    event_id: "made-here",
    type: "business_event",
    timestamp: "2026-01-02T03:04:05.006Z",
  });
});

test("a given event id is kept, and the type is the one tracked", () => {
  expect(row({ ...BASE, event_id: "mine", type: "exposure" })).toMatchObject({
    event_id: "mine",
    type: "business_event",
  });
});

test.each([
  { name: "RFC 3339 in UTC", given: "2026-01-02T03:04:05Z", sent: "2026-01-02T03:04:05.000Z" },
  { name: "RFC 3339 with an offset", given: "2026-01-02T03:04:05.5+02:00", sent: "2026-01-02T01:04:05.500Z" },
  { name: "epoch milliseconds", given: 1_700_000_000_001, sent: "2023-11-14T22:13:20.001Z" },
  { name: "a Date", given: new Date(0), sent: "1970-01-01T00:00:00.000Z" },
  { name: "null as absent", given: null, sent: "2026-01-02T03:04:05.006Z" },
])("a timestamp may be $name", ({ given, sent }) =>
  expect(row({ ...BASE, timestamp: given }).timestamp).toBe(sent),
);

test("the result has the row's id, its own time, and its size in UTF-8", () => {
  const event = toEventRow("exposure", { ...BASE, event_id: "\u00e9", timestamp: 5 }, DEFAULTS);
  expect(event).toMatchObject({ eventId: "\u00e9", occurredAt: 5, bytes: Buffer.byteLength(event.row) });
});

test.each([
  { name: "128 characters", id: "x".repeat(128) },
  { name: "128 characters outside the basic plane", id: "\u{1f600}".repeat(128) },
])("an event id may have $name", ({ id }) => expect(row({ ...BASE, event_id: id }).event_id).toBe(id));

describe("refuses", () => {
  const circular: Record<string, unknown> = { ...BASE };
  circular.self = circular;
  test.each([
    ["an unknown type", BASE, "exposures", "unknown type"],
    ["null", null, "exposure", "payload is not an object"],
    ["text", "payload", "exposure", "payload is not an object"],
    ["a payload whose toJSON returns a number", { toJSON: () => 5 }, "exposure", "payload is not an object"],
    [
      "a payload whose toJSON returns undefined",
      { toJSON: () => undefined },
      "exposure",
      "payload is not an object",
    ],
    ["NaN", { ...BASE, value: Number.NaN }, "exposure", "NaN or Infinity"],
    ["a nested Infinity", { ...BASE, metadata: { a: [-Infinity] } }, "exposure", "NaN or Infinity"],
    ["an empty event id", { ...BASE, event_id: "" }, "exposure", "event_id is not 1-128"],
    ["a numeric event id", { ...BASE, event_id: 7 }, "exposure", "event_id is not 1-128"],
    [
      "129 characters of event id",
      { ...BASE, event_id: "x".repeat(129) },
      "exposure",
      "event_id is not 1-128",
    ],
    ["BigInt", { ...BASE, value: 1n }, "exposure", /BigInt/],
    ["a circle", circular, "exposure", /circular/],
    ["a local time", { ...BASE, timestamp: "2026-01-02 03:04:05" }, "exposure", "timestamp is not a date"],
    [
      "a day that does not exist",
      { ...BASE, timestamp: "2026-13-02T03:04:05Z" },
      "exposure",
      "timestamp is not a date",
    ],
    ["an invalid Date", { ...BASE, timestamp: new Date(Number.NaN) }, "exposure", "timestamp is not a date"],
  ])("%s", (_name, payload, type, message) =>
    expect(() => toEventRow(type, payload, DEFAULTS)).toThrow(message),
  );
});
