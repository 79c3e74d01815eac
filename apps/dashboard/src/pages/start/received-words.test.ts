import { expect, test } from "vitest";
import type { StoredEventSummary } from "../../api/types.ts";
import { receivedWords } from "./received-words.ts";

/** What the words are about; the rest of an event plays no part. */
const call = {
  type: "model_call",
  user_id: "ann",
  variant: "concise",
  model: "gpt-4o-mini",
  requested_model: null,
  latency_ms: 812,
  input_tokens: 391,
  output_tokens: 40,
  error: null,
  business_metric: null,
} as StoredEventSummary;

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
