import { expect, test } from "vitest";
import { EVENT_FIELD_LIST, EVENT_FIELDS, isRequiredIn, SENT_FIELDS, VALUE_FIELDS } from "./fields.ts";

test("the analysis log keeps the fields that results are computed from", () => {
  const analyzed = VALUE_FIELDS.filter(({ isAnalyzed }) => isAnalyzed === true).map(({ name }) => name);
  expect(analyzed).toEqual([
    "unit_id",
    "run_id",
    "variant",
    "source",
    "key_prefix",
    "client",
    "assigned_variant",
    "ineligible_reason",
    "marked_test",
    "sampling_probability",
    "model",
    "requested_model",
    "service_tier",
    "latency_ms",
    "time_to_first_token_ms",
    "input_tokens",
    "cached_input_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "audio_input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "audio_output_tokens",
    "usage_estimated",
    "cost_usd",
    "finish_reason",
    "error",
    "business_metric",
    "value",
  ]);
});

test("rows need the fields that identify the event, and a business event needs its metric", () => {
  const required = SENT_FIELDS.filter(isRequiredIn).map(({ sentName }) => sentName);
  expect(required).toEqual(["event_id", "type", "experiment_id", "user_id", "timestamp", "business_metric"]);
});

test("the service itself fills in how an event was sent and which arm it counts for", () => {
  const filledIn = EVENT_FIELD_LIST.filter(({ sentName }) => sentName === null).map(({ name }) => name);
  expect(filledIn).toEqual([
    ...["org_id", "received_at", "source", "key_prefix", "client"],
    ...["assigned_variant", "ineligible_reason", "marked_test"],
  ]);
});

test("an absent error means none, and an absent value counts as 1", () => {
  expect(EVENT_FIELDS.error.default).toBe(false);
  expect(EVENT_FIELDS.value.default).toBe(1);
});
