import { expect, test } from "vitest";
import {
  EVENT_FIELD_LIST,
  EVENT_FIELDS,
  EVENT_TYPES,
  isRequiredIn,
  SENT_FIELDS,
  typesOf,
  VALUE_FIELDS,
} from "./fields.ts";

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
    "agent_name",
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
    "completed",
    "business_metric",
    "value",
  ]);
});

test("rows need the fields that identify the event, and some types one more", () => {
  const required = (type: Parameters<typeof isRequiredIn>[1]) =>
    SENT_FIELDS.filter((field) => isRequiredIn(field, type)).map(({ sentName }) => sentName);
  const all = ["event_id", "type", "experiment_id", "user_id", "timestamp"];
  expect([null, ...EVENT_TYPES].map((type) => required(type).filter((name) => !all.includes(name)))).toEqual([
    ...[[], [], [], ["business_metric"], ["tool_name"], ["run_id"]],
  ]);
  expect(required(null)).toEqual(all);
});

test("a field of several types is one of each", () => {
  expect(typesOf(EVENT_FIELD_LIST[0]!)).toEqual(EVENT_TYPES);
  const of = (type: (typeof EVENT_TYPES)[number]) =>
    VALUE_FIELDS.filter((field) => field.of !== undefined && typesOf(field).includes(type)).map(
      ({ name }) => name,
    );
  expect(of("run_end")).toEqual(["completed"]);
  expect(of("tool_call")).toEqual([
    ...["agent_name", "latency_ms", "error", "error_type", "tool_name", "tool_arguments", "tool_result"],
  ]);
  expect(of("model_call")).toEqual(
    expect.arrayContaining(["agent_name", "latency_ms", "error", "error_type"]),
  );
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
