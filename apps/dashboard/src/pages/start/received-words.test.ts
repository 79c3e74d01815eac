import { expect, test } from "vitest";
import type { StoredEventSummary } from "../../api/types.ts";
import { receivedWords } from "./received-words.ts";

const call: StoredEventSummary = {
  event_id: "e",
  type: "model_call",
  occurred_at: "2026-11-01T00:00:00.000Z",
  received_at: "2026-11-01T00:00:00.000Z",
  user_id: "ann",
  variant: "concise",
  is_test: false,
  model: "gpt-4o-mini",
  requested_model: null,
  provider: null,
  latency_ms: 812,
  time_to_first_token_ms: null,
  input_tokens: 391,
  cached_input_tokens: null,
  output_tokens: 40,
  reasoning_tokens: null,
  cost_usd: null,
  finish_reason: null,
  error: null,
  error_type: null,
  business_metric: null,
  value: null,
  scores: [],
  prompt_preview: null,
  response_preview: null,
};

test.each<{ name: string; event: Partial<StoredEventSummary>; words: string }>([
  { name: "a call", event: {}, words: "gpt-4o-mini · 812 ms · 431 tokens · variant concise" },
  {
    name: "a call that told little",
    event: { model: null, latency_ms: null, input_tokens: null, output_tokens: null, variant: null },
    words: "a model call · no variant",
  },
  {
    name: "a failed call",
    event: { error: true, input_tokens: null, output_tokens: null },
    words: "gpt-4o-mini · 812 ms · error · variant concise",
  },
  { name: "an exposure", event: { type: "exposure" }, words: "user ann got variant concise" },
  {
    name: "an outcome",
    event: { type: "business_event", business_metric: "order" },
    words: "order · user ann · variant concise",
  },
])("receivedWords of $name", ({ event, words }) =>
  expect(receivedWords({ ...call, ...event }).replaceAll("\u00a0", " ")).toBe(words),
);
