import { checkEvent, type EventType, isValueField, SENT_FIELDS, typesOf } from "@assay/domain";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { EventSchema } from "./ingest.ts";

const schema = Compile(EventSchema);
const now = Date.UTC(2026, 10, 21);

const base = { event_id: "e", experiment_id: "x", user_id: "u", timestamp: "2026-11-20T00:00:00.000Z" };
const rows = {
  exposure: { ...base, type: "exposure" },
  model_call: { ...base, type: "model_call" },
  business_event: { ...base, type: "business_event", business_metric: "m" },
  tool_call: { ...base, type: "tool_call", tool_name: "t" },
  run_end: { ...base, type: "run_end", run_id: "r" },
} as const satisfies Readonly<Record<EventType, unknown>>;

/** The fields that the check reads in rows of a type. Other tests cover timestamps and the fields that only one type requires. */
const fieldsOf = (type: EventType) =>
  SENT_FIELDS.filter((field) => {
    if (!isValueField(field)) return field.kind !== "instant";
    return field.requiredOf === undefined && ("isAlwaysChecked" in field || typesOf(field).includes(type));
  }).map(({ sentName }) => sentName);

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ maxLength: 300, unit: "grapheme" }),
  fc.constantFrom(
    "",
    "x".repeat(128),
    "x".repeat(129),
    "x".repeat(200),
    "x".repeat(201),
    "x".repeat(256),
    "x".repeat(257),
  ),
  fc.constantFrom("😀".repeat(128), "😀".repeat(129), "😀".repeat(256), "😀".repeat(257)),
  fc.constantFrom("exposure", 0, -0, -1, 1e308, 5e-324, true, false, null),
);

// Callers read the schema, but the check decides: both must agree on every field of every type.
test.each(Object.entries(rows) as [EventType, object][])(
  "the check and the published schema agree on a %s",
  (type, row) => {
    fc.assert(
      fc.property(fc.constantFrom(...fieldsOf(type)), anyValue, (field, value) => {
        // Another type has other required fields. The domain's own tests check these by name.
        fc.pre(field !== "type" || typeof value !== "string");
        const mutated = { ...row, [field]: value };
        expect([mutated, checkEvent(mutated, now) === null]).toEqual([mutated, schema.Check(mutated)]);
      }),
      { numRuns: 3000 },
    );
  },
);

test.each([
  "2026-11-20T00:00:00Z",
  "2026-11-20T00:00:00.5+01:00",
  "2026-11-20",
  "now",
  "",
  0.5,
  1_700_000_000_000,
  null,
  true,
])("the check accepts no timestamp that the schema refuses: %j", (timestamp) => {
  const row = { ...rows.exposure, timestamp };
  if (checkEvent(row, now) === null) expect(schema.Check(row)).toBe(true);
  else expect(typeof timestamp === "number" || !schema.Check(row)).toBe(true);
});
