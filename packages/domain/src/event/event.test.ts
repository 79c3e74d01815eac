import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEvent, flattenEvent } from "./check-event.ts";
import { EVENT_FIELDS } from "./fields.ts";
import { nullsBeforeReady, rowsOfBody } from "./read-batch.ts";
import { parseTimestamp } from "./timestamp.ts";
import { type EventContext, toStoredEvent } from "./to-stored-event.ts";

const MAX_TEXT_BYTES = EVENT_FIELDS.prompt.max;
const now = Date.UTC(2026, 10, 21, 12);
const exposure = {
  event_id: "e1",
  type: "exposure",
  experiment_id: "checkout",
  user_id: "u1",
  timestamp: "2026-11-21T11:00:00.000Z",
};
const call = { ...exposure, type: "model_call" };
const toolCall = { ...exposure, type: "tool_call", tool_name: "search" };
const runEnd = { ...exposure, type: "run_end", run_id: "r1" };
const outcome = { ...exposure, type: "business_event", business_metric: "bought" };

test.each([
  { name: "an exposure", row: exposure },
  { name: "a timestamp of epoch milliseconds", row: { ...exposure, timestamp: now } },
  { name: "a timestamp with an offset", row: { ...exposure, timestamp: "2026-11-21T13:00:00+02:00" } },
  { name: "a timestamp 24 hours ahead", row: { ...exposure, timestamp: now + 24 * 3_600_000 } },
  { name: "a user id of 256 emoji", row: { ...exposure, user_id: "😀".repeat(256) } },
  {
    name: "a full model call",
    row: { ...call, latency_ms: 0, model: "m", error: false, prompt: "p", response: "", cost_usd: 0.01 },
  },
  {
    name: "nulls for absent fields",
    row: { ...call, latency_ms: null, error: null, prompt: null, metadata: null, variant: null },
  },
  { name: "a certain event", row: { ...call, sampling_probability: 1 } },
  { name: "an outcome of a sampled trace", row: { ...outcome, sampling_probability: 2 ** -56 } },
  { name: "an outcome without a value", row: outcome },
  { name: "a negative value", row: { ...outcome, value: -3.5 } },
  {
    name: "a full tool call",
    row: {
      ...{ ...toolCall, latency_ms: 12, error: true, error_type: "timeout", agent_name: "planner" },
      ...{ tool_arguments: '{"q":"x"}', tool_result: "é".repeat(MAX_TEXT_BYTES / 2), run_id: "r1" },
    },
  },
  { name: "the end of a run", row: runEnd },
  { name: "the end of a run that failed", row: { ...runEnd, completed: false } },
  // Before there were these fields, they were fields that it does not know.
  {
    name: "a new field of other types, whatever it is",
    row: { ...exposure, agent_name: 3, tool_name: {}, completed: 1 },
  },
  { name: "small metadata", row: { ...exposure, metadata: { assay_test: true } } },
  { name: "fields that it does not know", row: { ...exposure, flavour: "mint" } },
  {
    name: "a text of exactly 256 KiB in two-byte letters",
    row: { ...call, prompt: "é".repeat(MAX_TEXT_BYTES / 2) },
  },
  { name: "a text of exactly 256 KiB in emoji", row: { ...call, prompt: "😀".repeat(MAX_TEXT_BYTES / 4) } },
])("checkEvent accepts $name", ({ row }) => {
  expect(checkEvent(row, now)).toBeNull();
});

test.each([
  { field: "event_id", row: { ...exposure, event_id: "" } },
  { field: "event_id", row: { ...exposure, event_id: "x".repeat(129) } },
  { field: "event_id", row: { ...exposure, event_id: 7 } },
  { field: "type", row: { ...exposure, type: "click" } },
  { field: "experiment_id", row: { ...exposure, experiment_id: undefined } },
  { field: "user_id", row: { ...exposure, user_id: "😀".repeat(257) } },
  { field: "user_id", row: { ...exposure, user_id: "" } },
  { field: "timestamp", row: { ...exposure, timestamp: "yesterday" } },
  { field: "timestamp", row: { ...exposure, timestamp: now + 24 * 3_600_000 + 1 } },
  { field: "timestamp", row: { ...exposure, timestamp: now / 1000 } },
  { field: "timestamp", row: { ...exposure, timestamp: Number.POSITIVE_INFINITY } },
  { field: "metadata", row: { ...exposure, metadata: "text" } },
  { field: "metadata", row: { ...exposure, metadata: [] } },
  { field: "metadata", row: { ...exposure, metadata: { note: "x".repeat(16 * 1024) } } },
  { field: "variant", row: { ...exposure, variant: 3 } },
  { field: "model", row: { ...call, model: "x".repeat(201) } },
  { field: "sampling_probability", row: { ...call, sampling_probability: 0 } },
  { field: "sampling_probability", row: { ...exposure, sampling_probability: 1.01 } },
  { field: "sampling_probability", row: { ...outcome, sampling_probability: "0.5" } },
  { field: "latency_ms", row: { ...call, latency_ms: -1 } },
  { field: "latency_ms", row: { ...call, latency_ms: "12" } },
  { field: "cost_usd", row: { ...call, cost_usd: Number.POSITIVE_INFINITY } },
  { field: "input_tokens", row: { ...call, input_tokens: Number.NaN } },
  { field: "error", row: { ...call, error: "no" } },
  { field: "prompt", row: { ...call, prompt: 1 } },
  { field: "response", row: { ...call, response: "x".repeat(MAX_TEXT_BYTES + 1) } },
  { field: "response", row: { ...call, response: "日".repeat(MAX_TEXT_BYTES / 3 + 1) } },
  { field: "response", row: { ...call, response: `${"\ud800".repeat(MAX_TEXT_BYTES / 3)}\udc00x` } },
  { field: "business_metric", row: { ...outcome, business_metric: "" } },
  { field: "value", row: { ...outcome, value: "9" } },
  { field: "tool_name", row: { ...toolCall, tool_name: undefined } },
  { field: "tool_name", row: { ...toolCall, tool_name: "" } },
  { field: "latency_ms", row: { ...toolCall, latency_ms: -1 } },
  { field: "error", row: { ...toolCall, error: 1 } },
  { field: "error_type", row: { ...toolCall, error_type: 1 } },
  { field: "error_type", row: { ...exposure, error_type: 1 } },
  { field: "agent_name", row: { ...toolCall, agent_name: 1 } },
  { field: "agent_name", row: { ...call, agent_name: "x".repeat(201) } },
  { field: "tool_arguments", row: { ...toolCall, tool_arguments: {} } },
  { field: "tool_result", row: { ...toolCall, tool_result: "x".repeat(MAX_TEXT_BYTES + 1) } },
  { field: "run_id", row: { ...runEnd, run_id: undefined } },
  { field: "run_id", row: { ...runEnd, run_id: null } },
  { field: "completed", row: { ...runEnd, completed: "yes" } },
])("checkEvent refuses a bad $field and names it", ({ field, row }) => {
  expect(checkEvent(row, now)).toContain(field);
});

test("metadata nested beyond the stack is refused, not a crash", () => {
  const nested = JSON.parse(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`);
  expect(checkEvent({ ...exposure, metadata: nested }, now)).toContain("metadata");
});

test("checkEvent never throws on any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const row = flattenEvent(value);
      expect(row === null || typeof checkEvent(row, now) === "string").toBe(true);
    }),
  );
});

test.each([
  {
    name: "lets flat fields override the payload",
    row: { a: 1, payload: { a: 2, b: 3 } },
    flat: { a: 1, b: 3 },
  },
  { name: "leaves a flat row alone", row: { a: 1 }, flat: { a: 1 } },
  { name: "treats a null payload as absent", row: { a: 1, payload: null }, flat: { a: 1 } },
  { name: "refuses a payload that is not an object", row: { payload: 5 }, flat: null },
  { name: "refuses a list", row: [], flat: null },
  { name: "refuses null", row: null, flat: null },
])("flattenEvent $name", ({ row, flat }) => {
  const got = flattenEvent(row);
  if (flat === null) expect(got).toBeNull();
  else expect(got).toMatchObject(flat);
});

test.each([
  ["2026-11-21T11:00:00Z", Date.UTC(2026, 10, 21, 11)],
  ["2026-11-21t11:00:00.123456789z", Date.UTC(2026, 10, 21, 11, 0, 0, 123)],
  ["2026-11-21 11:00:00+05:30", Date.UTC(2026, 10, 21, 5, 30)],
  [12.9, 12],
  ["2028-02-29T11:00:00.000Z", Date.UTC(2028, 1, 29, 11)],
  ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
  ["2026-02-29T11:00:00.000Z", null],
  ["2100-02-29T11:00:00.000Z", null],
  ["2026-04-31T11:00:00Z", null],
  ["2026-00-10T11:00:00.000Z", null],
  ["2026-11-00T11:00:00.000Z", null],
  ["2026-11-21T24:00:01.000Z", null],
  ["2026-11-21T11:60:00.000Z", null],
  ["2026-11-21T11:00:60.000Z", null],
  ["2026-11-21T11:00:00.00xZ", null],
  ["2026-11-21T11:00:00.0000", null],
  ["0099-01-01T00:00:00.000Z", Date.parse("0099-01-01T00:00:00.000Z")],
  ["2026-11-21", null],
  ["2026-11-21T11:00:00", null],
  ["2026-99-21T11:00:00Z", null],
  [Number.NaN, null],
  [null, null],
  ["2026-11-21T24:00:00Z", null],
  ["2026-11-21T24:00:00.000Z", null],
])("parseTimestamp reads %j as %j", (value, at) => {
  expect(parseTimestamp(value)).toBe(at);
});

test("every instant that JavaScript formats is read back", () => {
  const instants = fc.date({ min: new Date("1000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(instants, (at) => {
      expect(parseTimestamp(at.toISOString())).toBe(at.getTime());
    }),
  );
});

test("a usual instant with one character changed is read as JavaScript reads it, or not at all", () => {
  fc.assert(
    fc.property(fc.nat(23), fc.constantFrom(..."0123456789-:.TZtz+ x"), (index, character) => {
      const text = "2026-11-21T11:07:33.125Z".split("");
      text[index] = character;
      const at = parseTimestamp(text.join(""));
      if (at !== null) expect(at).toBe(Date.parse(text.join("").replace(" ", "T").toUpperCase()));
    }),
    { numRuns: 1000 },
  );
});

test("metadata is limited by its size as JSON, however it is built", () => {
  const values = fc.oneof(
    fc.string({ maxLength: 3000 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 50 }), values, { maxKeys: 40 }), (metadata) => {
      const fits = Buffer.byteLength(JSON.stringify(metadata).toWellFormed()) <= 16 * 1024;
      expect(checkEvent({ ...exposure, metadata }, now) === null).toBe(fits);
    }),
  );
});

test.each([
  { body: [1, 2], rows: [1, 2] },
  { body: { events: [1] }, rows: [1] },
  { body: { events: "no" }, rows: null },
  { body: "text", rows: null },
  { body: null, rows: null },
])("rowsOfBody of $body", ({ body, rows }) => {
  expect(rowsOfBody(body)).toEqual(rows);
});

const context: EventContext = {
  ...{ orgId: "o", receivedAt: now, experimentId: "x" },
  provenance: { source: "secret", keyPrefix: "svc_sk_12345", client: "assay-python/1.0.0" },
  attribute: ({ variant }) => ({ arm: variant ?? "derived", owner: "derived", reason: null }),
};

test("an event keeps the variant it names and gets one by bucketing otherwise", () => {
  expect(toStoredEvent({ ...exposure, variant: "sent" }, context).variant).toBe("sent");
  expect(toStoredEvent(exposure, context).variant).toBe("derived");
  expect(toStoredEvent({ ...exposure, variant: "" }, context).variant).toBe("derived");
});

test("an outcome without a variant follows the user's first exposure, so it is stored without one", () => {
  expect(toStoredEvent(outcome, context).variant).toBeNull();
  expect(toStoredEvent(call, context)).toMatchObject({ variant: null, assignedVariant: null });
});

test("what a row does not say has its default: a run that ended did its task, a value is 1, tokens are counted", () => {
  expect(toStoredEvent(runEnd, context).completed).toBe(true);
  expect(toStoredEvent({ ...runEnd, completed: false }, context).completed).toBe(false);
  expect(toStoredEvent(outcome, context).value).toBe(1);
  expect(toStoredEvent(call, context)).toMatchObject({ usageEstimated: false, completed: null });
});

test("an event keeps who sent it, and how", () => {
  const from = { source: "secret", keyPrefix: "svc_sk_12345", client: "assay-python/1.0.0" };
  expect(toStoredEvent(exposure, context)).toMatchObject({ ...from, assignedVariant: "derived" });
  expect(toStoredEvent(call, { ...context, provenance: null }).source).toBeNull();
});

test("the service's own fields cannot be sent", () => {
  const row = { ...exposure, source: "signed", key_prefix: "x", client: "y", ineligible_reason: "stray" };
  expect(toStoredEvent(row, context)).toMatchObject({ source: "secret", ineligibleReason: null });
});

test.each([
  { metadata: { assay_test: true }, marked: true },
  { metadata: { assay_test: "true" }, marked: null },
  { metadata: {}, marked: null },
  { marked: null },
])("metadata marks a test event: $metadata", ({ metadata, marked }) => {
  expect(toStoredEvent({ ...exposure, metadata }, context).markedTest).toBe(marked);
});

test("fields of other types of event are not stored", () => {
  const stored = toStoredEvent({ ...exposure, latency_ms: 5, value: 3, business_metric: "bought" }, context);
  expect(stored).toMatchObject({ latencyMs: null, value: null, businessMetric: null, error: null });
});

test("a model call keeps what it measured; what is missing is null, never zero", () => {
  const row = { ...call, latency_ms: 12, output_tokens: 7, error: true, prompt: "p", metadata: { a: 1 } };
  expect(toStoredEvent(row, context)).toMatchObject({
    latencyMs: 12,
    outputTokens: 7,
    inputTokens: null,
    costUsd: null,
    error: true,
    prompt: "p",
    response: null,
    metadata: '{"a":1}',
    occurredAt: Date.UTC(2026, 10, 21, 11),
  });
});

test("an outcome without a value counts as 1", () => {
  expect(toStoredEvent(outcome, context)).toMatchObject({ businessMetric: "bought", value: 1 });
  expect(toStoredEvent({ ...outcome, value: 0 }, context).value).toBe(0);
});

test("unpaired surrogates become U+FFFD, as in the hash", () => {
  expect(toStoredEvent({ ...exposure, user_id: "a\ud800" }, context).userId).toBe("a\ufffd");
});

test("a row that was never checked still gives a complete event", () => {
  expect(toStoredEvent({ type: "exposure" }, context)).toMatchObject({
    eventId: "",
    userId: "",
    occurredAt: now,
  });
});

test.each([
  { name: "counts", body: { events: [], client: { null_before_ready: 7 } }, count: 7 },
  { name: "absent", body: { events: [] }, count: 0 },
  { name: "a bare array", body: [], count: 0 },
  { name: "null", body: null, count: 0 },
  { name: "no object", body: { client: 7 }, count: 0 },
  { name: "negative", body: { client: { null_before_ready: -1 } }, count: 0 },
  { name: "a fraction", body: { client: { null_before_ready: 1.5 } }, count: 0 },
  { name: "text", body: { client: { null_before_ready: "7" } }, count: 0 },
  { name: "the largest", body: { client: { null_before_ready: 1e9 } }, count: 1e9 },
  { name: "beyond reason", body: { client: { null_before_ready: 1e9 + 1 } }, count: 0 },
])("nulls before ready: $name", ({ body, count }) => expect(nullsBeforeReady(body)).toBe(count));
