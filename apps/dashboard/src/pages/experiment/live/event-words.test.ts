import { expect, test } from "vitest";
import { eventInWords } from "./event-words.ts";

const NOTHING = {
  type: "exposure",
  variant: null,
  model: null,
  latency_ms: null,
  output_tokens: null,
  cost_usd: null,
  error: null,
  error_type: null,
  business_metric: null,
  value: null,
  tool_name: null,
  completed: null,
} as const;

test.each([
  { event: { variant: "concise" }, words: "got concise" },
  { event: {}, words: "no variant" },
  {
    event: {
      type: "model_call",
      model: "m-1",
      latency_ms: 812,
      output_tokens: 431,
      cost_usd: 0.0012,
      error: false,
    },
    words: "m-1 · 812 ms · 431 output tokens · $0.0012",
  },
  {
    event: { type: "model_call", error: true, error_type: "timeout" },
    words: "unnamed model · failed: timeout",
  },
  { event: { type: "model_call", model: "m", error: true }, words: "m · failed" },
  { event: { type: "business_event", business_metric: "bought", value: 12.5 }, words: "bought: 12.5" },
  { event: { type: "business_event" }, words: "unnamed outcome: 1" },
  {
    event: { type: "tool_call", tool_name: "search", latency_ms: 12, error: true, error_type: "timeout" },
    words: "search · failed: timeout · 12 ms",
  },
  { event: { type: "tool_call" }, words: "unnamed tool" },
  { event: { type: "run_end", completed: true }, words: "task done" },
  { event: { type: "run_end", completed: false }, words: "task not done" },
] as const)("an event reads “$words”", ({ event, words }) =>
  expect(eventInWords({ ...NOTHING, ...event }).replaceAll("\u00a0", " ")).toBe(words),
);
