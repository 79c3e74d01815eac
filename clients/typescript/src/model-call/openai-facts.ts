import { fieldAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { Reading } from "./model-call-format.ts";

const INPUT = {
  cached_tokens: "cached_input_tokens",
  // Reported by OpenRouter.
  cache_write_tokens: "cache_write_5m_tokens",
  audio_tokens: "audio_input_tokens",
} as const;
const OUTPUT = { reasoning_tokens: "reasoning_tokens", audio_tokens: "audio_output_tokens" } as const;

/**
 * Names of the counts in the responses API and in the older APIs. Some gateways send both, with 0 for those that do not
 * apply.
 */
const FACTS: FactFields = {
  model: "model",
  service_tier: "service_tier",
  usage: {
    input_tokens: "input_tokens",
    prompt_tokens: "input_tokens",
    input_tokens_details: INPUT,
    prompt_tokens_details: INPUT,
    output_tokens: "output_tokens",
    completion_tokens: "output_tokens",
    output_tokens_details: OUTPUT,
    completion_tokens_details: OUTPUT,
    // Reported by OpenRouter.
    cost: "cost_usd",
  },
  status: "finish_reason",
  // More specific than the status.
  incomplete_details: { reason: "finish_reason" },
  // The library does not throw for a failed response.
  error: { code: "error_type" },
};

/** Reads the facts of an answer of any of OpenAI's APIs, or of a chunk. */
export function learnOpenai(answer: unknown, reading: Reading): void {
  learnFacts(answer, FACTS, reading);
  // For a call with the caller's own key, OpenRouter reports only its fee.
  if (fieldAt(answer, "usage", "is_byok") === true) reading.facts.cost_usd = undefined;
}
