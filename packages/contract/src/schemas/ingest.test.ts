import { checkEvent } from "@assay/domain";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { EventSchema } from "./ingest.ts";

const schema = Compile(EventSchema);
const now = Date.UTC(2026, 10, 21);

const base = { event_id: "e", experiment_id: "x", user_id: "u", timestamp: "2026-11-20T00:00:00.000Z" };
/** The fields that the check reads for each type of event. */
const shared = [
  "event_id",
  "type",
  "experiment_id",
  "user_id",
  "variant",
  "model",
  "provider",
  "error_type",
  "metadata",
];
const events = {
  exposure: { row: { ...base, type: "exposure" }, fields: shared },
  model_call: {
    row: { ...base, type: "model_call" },
    fields: [
      ...shared,
      "latency_ms",
      "time_to_first_token_ms",
      "input_tokens",
      "output_tokens",
      "cost_usd",
      "error",
      "prompt",
      "response",
    ],
  },
  business_event: {
    row: { ...base, type: "business_event", business_metric: "m" },
    fields: [...shared, "value"],
  },
} as const;

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

// The schema is what callers read, the check is what runs: they must agree on every field of every type.
test.each(Object.entries(events))(
  "the check and the published schema agree on a %s",
  (_, { row, fields }) => {
    fc.assert(
      fc.property(fc.constantFrom(...fields), anyValue, (field, value) => {
        // Another type brings other required fields: that is checked by name in the domain's own tests.
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
])("the check takes no timestamp that the schema refuses: %j", (timestamp) => {
  const row = { ...events.exposure.row, timestamp };
  if (checkEvent(row, now) === null) expect(schema.Check(row)).toBe(true);
  else expect(typeof timestamp === "number" || !schema.Check(row)).toBe(true);
});
