import type { FactFields } from "./learn-facts.ts";

/**
 * Returns the fields with facts in OpenAI's answers. Only the names of the counts differ between its APIs.
 */
export function openaiFacts(input: string, output: string): FactFields {
  return {
    model: "model",
    service_tier: "service_tier",
    usage: {
      [input]: "input_tokens",
      [`${input}_details`]: {
        cached_tokens: "cached_input_tokens",
        // Told by OpenRouter.
        cache_write_tokens: "cache_write_5m_tokens",
        audio_tokens: "audio_input_tokens",
      },
      [output]: "output_tokens",
      [`${output}_details`]: { reasoning_tokens: "reasoning_tokens", audio_tokens: "audio_output_tokens" },
    },
  };
}
